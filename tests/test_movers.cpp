// Movers of the CPU move what they are told: a ceiling over fewer bytes than it counts would be too high.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <numeric>

#include "src/measure/movers.hpp"

namespace redbench {
namespace {

constexpr char untouched = 7;

struct Moved {
  explicit Moved(std::vector<std::size_t> reads, std::size_t written) : to(written + 64, untouched) {
    for (const std::size_t bytes : reads) {
      from.emplace_back(bytes);
      std::iota(from.back().begin(), from.back().end(), char(from.size()));
    }
    for (const std::vector<char>& bytes : from) move.from.push_back({bytes.data(), bytes.size()});
    move.to = to.data();
    move.written = written;
  }
  /// Whether every byte up to `written` was written, and none past it.
  bool wrote_all() const {
    const auto end = to.begin() + std::ptrdiff_t(move.bytes_written());
    return std::none_of(to.begin(), end, [](char c) { return c == untouched; }) &&
           std::all_of(end, to.end(), [](char c) { return c == untouched; });
  }

  std::vector<std::vector<char>> from;
  std::vector<char> to;
  Move move;
};

TEST(Movers, BytesAreCountedInWholeWordsOfEachSpan) {
  const Moved moved({40, 17, 15}, 33);
  EXPECT_EQ(moved.move.bytes_read(), 48u);
  EXPECT_EQ(moved.move.bytes_written(), 32u);
  EXPECT_EQ(moved.move.bytes(), 80u);
}

/// A move of its own for each of the ways.
template <class Check>
void try_all(const std::vector<std::size_t>& reads, std::size_t written, const Check& check) {
  const std::size_t ways = host_movers(Moved(reads, written).move).size();
  ASSERT_GE(ways, 1u);
  for (std::size_t way = 0; way < ways; ++way) {
    const Moved moved(reads, written);
    const Mover mover = host_movers(moved.move)[way];
    mover.enqueue();
    check(moved, mover.how);
  }
}

TEST(Movers, AMixWritesAllOfItsBytesAndNoMore) {
  for (const std::size_t written : {16u, 5000u, 100'000u, 999'984u, 2'000'000u})
    try_all({600'000, 100'000}, written, [&](const Moved& moved, const std::string& how) {
      EXPECT_TRUE(moved.wrote_all()) << written << ": " << how;
    });
}

/// Pages that nobody has touched yet.
class UntouchedPages {
 public:
  static constexpr std::size_t page = 4096;
  explicit UntouchedPages(std::size_t count) : count_(count) {
    memory_ = mmap(nullptr, count * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory_ == MAP_FAILED) throw std::bad_alloc();
    madvise(memory_, count * page, MADV_NOHUGEPAGE);
  }
  ~UntouchedPages() { munmap(memory_, count_ * page); }
  UntouchedPages(const UntouchedPages&) = delete;
  UntouchedPages& operator=(const UntouchedPages&) = delete;

  Span span() const { return {memory_, count_ * page}; }
  std::size_t touched() const {
    std::vector<unsigned char> resident(count_);
    if (mincore(memory_, count_ * page, resident.data()) != 0) return 0;
    return std::size_t(std::count_if(resident.begin(), resident.end(), [](auto r) { return r & 1; }));
  }

 private:
  void* memory_;
  std::size_t count_;
};

TEST(Movers, AReadTouchesEveryPageOfEachSpan) {
  const auto ways_of = [](const UntouchedPages& a, const UntouchedPages& b) {
    return host_movers({.from = {a.span(), b.span()}});
  };
  const std::size_t ways = ways_of(UntouchedPages(1), UntouchedPages(1)).size();
  EXPECT_GE(ways, 8u);
  for (std::size_t way = 0; way < ways; ++way) {
    const UntouchedPages many(301), few(13);
    ASSERT_EQ(many.touched() + few.touched(), 0u);
    const Mover mover = ways_of(many, few)[way];
    mover.enqueue();
    EXPECT_EQ(many.touched(), 301u) << mover.how;
    EXPECT_EQ(few.touched(), 13u) << mover.how;
  }
}

TEST(Movers, WritingAloneWritesAll) {
  try_all({}, 300'000,
          [](const Moved& moved, const std::string& how) { EXPECT_TRUE(moved.wrote_all()) << how; });
}

TEST(Movers, ACopyOfSeveralSpansIsTheirBytesInARow) {
  const std::size_t first = 500'000, second = 70'000;
  try_all({first, second}, first + second, [&](const Moved& moved, const std::string& how) {
    EXPECT_TRUE(std::equal(moved.from[0].begin(), moved.from[0].end(), moved.to.begin())) << how;
    EXPECT_TRUE(std::equal(moved.from[1].begin(), moved.from[1].end(), moved.to.begin() + first)) << how;
    EXPECT_TRUE(std::all_of(moved.to.end() - 64, moved.to.end(), [](char c) { return c == untouched; }));
  });
}

}  // namespace
}  // namespace redbench
