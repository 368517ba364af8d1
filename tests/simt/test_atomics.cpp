// Atomics of the kernel language on single words: what each leaves, and that it gives what was there.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <set>

#include "src/simt/watch.hpp"
#include "tests/simt/runner_support.hpp"

namespace redbench::simt {
namespace {

/// What the word is afterwards.
template <class T>
T after(AtomicOp op, T before, T value) {
  T word = before;
  const T seen = atomic(op, &word, value);
  EXPECT_EQ(std::memcmp(&seen, &before, sizeof before), 0) << "what was there";
  return word;
}

template <class T>
void expect_integers() {
  using Limits = std::numeric_limits<T>;
  EXPECT_EQ(after<T>(AtomicOp::add, 5, 7), T(12));
  EXPECT_EQ(after<T>(AtomicOp::add, Limits::max(), 2), T(Limits::min() + 1));
  EXPECT_EQ(after<T>(AtomicOp::sub, 9, 7), T(2));
  EXPECT_EQ(after<T>(AtomicOp::sub, Limits::min(), 2), T(Limits::max() - 1));
  EXPECT_EQ(after<T>(AtomicOp::min, 5, 7), T(5));
  EXPECT_EQ(after<T>(AtomicOp::min, 7, 5), T(5));
  EXPECT_EQ(after<T>(AtomicOp::min, Limits::max(), Limits::min()), Limits::min());
  EXPECT_EQ(after<T>(AtomicOp::max, 5, 7), T(7));
  EXPECT_EQ(after<T>(AtomicOp::max, 7, 5), T(7));
  EXPECT_EQ(after<T>(AtomicOp::max, Limits::min(), Limits::max()), Limits::max());
  EXPECT_EQ(after<T>(AtomicOp::exchange, 5, 7), T(7));
  EXPECT_EQ(after<T>(AtomicOp::bit_and, 0b0101, 0b0110), T(0b0100));
  EXPECT_EQ(after<T>(AtomicOp::bit_or, 0b0101, 0b0110), T(0b0111));
  EXPECT_EQ(after<T>(AtomicOp::bit_xor, 0b0101, 0b0110), T(0b0011));
}

TEST(Atomics, OfIntegers) {
  expect_integers<int>();
  expect_integers<unsigned>();
  expect_integers<unsigned short>();
  expect_integers<long>();
  expect_integers<unsigned long>();
  expect_integers<long long>();
  expect_integers<unsigned long long>();
}

TEST(Atomics, CountUpToALimitAndDownFromIt) {
  for (const auto& [before, up, down] :
       {std::tuple(0u, 1u, 3u), {1, 2, 0}, {2, 3, 1}, {3, 0, 2}, {4, 0, 3}, {9, 0, 3}}) {
    EXPECT_EQ(after(AtomicOp::increment, before, 3u), up) << before;
    EXPECT_EQ(after(AtomicOp::decrement, before, 3u), down) << before;
  }
  EXPECT_EQ(after(AtomicOp::increment, 0u, 0u), 0u);
  EXPECT_EQ(after(AtomicOp::decrement, 0u, 0u), 0u);
}

// Of two zeros, which are equal, the one that is there stays.
template <class T>
void expect_fractions() {
  EXPECT_EQ(after<T>(AtomicOp::add, 1.5, 0.25), T(1.75));
  EXPECT_EQ(after<T>(AtomicOp::sub, 1.5, 0.25), T(1.25));
  EXPECT_EQ(after<T>(AtomicOp::min, 1.5, -0.25), T(-0.25));
  EXPECT_EQ(after<T>(AtomicOp::min, -0.25, 1.5), T(-0.25));
  EXPECT_EQ(after<T>(AtomicOp::max, 1.5, -0.25), T(1.5));
  EXPECT_EQ(after<T>(AtomicOp::max, -0.25, 1.5), T(1.5));
  EXPECT_EQ(after<T>(AtomicOp::exchange, 1.5, 0.25), T(0.25));
  for (const AtomicOp op : {AtomicOp::min, AtomicOp::max}) {
    EXPECT_FALSE(std::signbit(after<T>(op, 0.0, -0.0)));
    EXPECT_TRUE(std::signbit(after<T>(op, -0.0, 0.0)));
  }
}

TEST(Atomics, OfFractions) {
  expect_fractions<float>();
  expect_fractions<double>();
}

TEST(Atomics, ComparedByTheirBits) {
  int word = 5;
  EXPECT_EQ(atomic_cas(&word, 4, 7), 5);
  EXPECT_EQ(word, 5);
  EXPECT_EQ(atomic_cas(&word, 5, 7), 5);
  EXPECT_EQ(word, 7);
  double zero = 0.0;
  EXPECT_EQ(atomic_cas(&zero, -0.0, 2.5), 0.0);
  EXPECT_EQ(zero, 0.0) << "another zero";
  EXPECT_EQ(atomic_cas(&zero, 0.0, 2.5), 0.0);
  EXPECT_EQ(zero, 2.5);
  relaxed_store(&zero, 3.5);
  EXPECT_EQ(zero, 3.5);
}

// A thread that waits for another by atomics lets it run, but not at each of them.
TEST(Atomics, OthersRunAtEvery4096thOfAThread) {
  with_runner([](BlockRunner& runner) {
    std::vector<int> counts;
    int turns = 0;
    EXPECT_EQ(run(runner, {.threads = 2},
                  [&](unsigned thread) {
                    int word = 0;
                    if (thread == 1) {
                      while (turns < 2) {
                        ++turns;
                        running.runner->yield();
                      }
                      return;
                    }
                    for (int seen = 0; counts.size() < 2; atomic(AtomicOp::add, &word, 1)) {
                      if (turns == seen) continue;
                      seen = turns;
                      counts.push_back(word);
                    }
                  }),
              "");
    EXPECT_EQ(counts, (std::vector<int>{4096, 2 * 4096}));
  });
}

/// "atomic 4", "write 8 relaxed", with the place in `words`.
struct Listener : Watch {
  explicit Listener(std::vector<std::string>& all) : said(all) {}
  void access(const Thread& thread, const Access& access) override {
    constexpr const char* kinds[] = {"read", "write", "atomic"};
    said.push_back(std::to_string(thread.number) + ": " + kinds[int(access.kind)] + " of " +
                   std::to_string(access.bytes) + " at " +
                   std::to_string(static_cast<const std::byte*>(access.address) - words) +
                   (access.relaxed ? " relaxed" : "") + (access.aligned ? "" : " anywhere") +
                   (places.insert(access.where).second ? "" : " from the place of another"));
  }
  std::vector<std::string>& said;
  std::set<const void*> places{nullptr};
  alignas(16) static inline std::byte words[64] = {};
};

TEST(Atomics, AreToldToWhoeverWatches) {
  with_runner([](BlockRunner& runner) {
    std::vector<std::string> said;
    const Acts acts = [](unsigned thread) {
      if (thread == 0) return;
      const auto word = [](std::size_t at) { return Listener::words + at; };
      atomic(AtomicOp::max, reinterpret_cast<int*>(word(4)), 3);
      atomic(AtomicOp::add, reinterpret_cast<double*>(word(8)), 3.0);
      atomic_cas(reinterpret_cast<unsigned short*>(word(18)), static_cast<unsigned short>(0),
                 static_cast<unsigned short>(7));
      relaxed_store(reinterpret_cast<float*>(word(20)), 2.5f);
      relaxed_store(reinterpret_cast<long*>(word(24)), 9L);
    };
    EXPECT_EQ(run(runner, {.threads = 2}, acts), "") << "nobody watches";
    EXPECT_EQ(
        run(runner, {.threads = 2}, acts, [&](const Launch&) { return std::make_unique<Listener>(said); }),
        "");
    EXPECT_EQ(said,
              (std::vector<std::string>{"1: atomic of 4 at 4", "1: atomic of 8 at 8", "1: atomic of 2 at 18",
                                        "1: write of 4 at 20 relaxed", "1: write of 8 at 24 relaxed"}));
  });
}

TEST(Atomics, BitsOfAFractionAreRefused) {
  with_runner([](BlockRunner& runner) {
    for (const AtomicOp op : {AtomicOp::bit_and, AtomicOp::bit_or, AtomicOp::bit_xor}) {
      float word = 1;
      const std::string error = run(runner, {.threads = 1}, [&](unsigned) { atomic(op, &word, 2.0f); });
      EXPECT_TRUE(error.starts_with("kernel indices, block 0, thread 0 (")) << error;
      EXPECT_TRUE(error.ends_with("): a bitwise atomic on a floating-point number")) << error;
      EXPECT_EQ(word, 1);
    }
  });
}

}  // namespace
}  // namespace redbench::simt
