#include "src/cachesim/chase.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>

#include "src/inputs/words.hpp"

namespace redbench {
namespace {

constexpr std::size_t line_bytes = 64;
constexpr int most_walks = 32;

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// The minimum of the ns per step over calls of `work`, which take about `seconds` together.
template <class Work>
double least_ns(double steps, double seconds, const Work& work) {
  double least = std::numeric_limits<double>::infinity();
  const auto begin = Clock::now();
  do {
    const auto start = Clock::now();
    work();
    least = std::min(least, seconds_since(start) * 1e9 / steps);
  } while (seconds_since(begin) < seconds);
  return least;
}

/// Keeps the compiler from leaving out the computation of `value`.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "r"(value) : "memory");
}

char* slot(char* memory, const Pool& pool, std::size_t i) {
  const std::size_t within = pool.step_bytes > line_bytes ? i * line_bytes % pool.step_bytes : 0;
  return memory + i * pool.step_bytes + within;
}

/// Links all slots in random order to one circle; returns `starts` of them, evenly spaced along it.
std::vector<void**> make_circle(char* memory, const Pool& pool, std::size_t slots, int starts) {
  std::vector<std::uint32_t> order(slots);
  std::iota(order.begin(), order.end(), 0u);
  const Words words(1);
  for (std::size_t i = slots; i-- > 1;) std::swap(order[i], order[words[i] % (i + 1)]);
  for (std::size_t i = 0; i < slots; ++i) {
    void* const next = slot(memory, pool, order[(i + 1) % slots]);
    std::memcpy(slot(memory, pool, order[i]), &next, sizeof next);
  }
  std::vector<void**> circle;
  for (int start = 0; start < starts; ++start)
    circle.push_back(reinterpret_cast<void**>(
        slot(memory, pool, order[slots * std::size_t(start) / std::size_t(starts)])));
  return circle;
}

/// A number of walks that is known at compile time, so that all stay in registers or in the first level.
template <int walks>
void walk(std::vector<void**>& at, std::size_t steps) {
  void** here[walks];
  std::copy_n(at.begin(), walks, here);
  for (std::size_t i = 0; i < steps; ++i)
    for (int walk = 0; walk < walks; ++walk) here[walk] = static_cast<void**>(*here[walk]);
  std::copy(here, here + walks, at.begin());
}

/// By the binary logarithm of their number.
constexpr void (*walks_of[])(std::vector<void**>&, std::size_t){walk<1>, walk<2>,  walk<4>,
                                                                walk<8>, walk<16>, walk<most_walks>};

}  // namespace

Chase::Chase(const Pool& pool)
    : memory_(map_pages(pool.pages, pool.bytes)),
      slots_(std::max<std::size_t>(1, pool.bytes / pool.step_bytes)) {
  if (!memory_.memory) throw std::bad_alloc();
  circle_ = make_circle(static_cast<char*>(memory_.memory), pool, slots_, most_walks);
}

Chase::~Chase() { unmap_pages(memory_); }

double Chase::ns(int walks, double seconds) const {
  std::vector<void**> at;
  for (int walk = 0; walk < walks; ++walk) at.push_back(circle_[std::size_t(walk * most_walks / walks)]);
  const auto walk = walks_of[std::countr_zero(unsigned(walks))];
  // A try visits all slots, within bounds: long enough for the clock, short enough for several tries.
  const std::size_t steps = std::clamp<std::size_t>(slots_ / std::size_t(walks), 4096, std::size_t(1) << 20);
  walk(at, std::min<std::size_t>(slots_, std::size_t(1) << 22) / std::size_t(walks) + 1);
  const double ns = least_ns(double(steps) * walks, seconds, [&] { walk(at, steps); });
  keep(at[0]);
  return ns;
}

double stream_ns(std::size_t bytes, double seconds) {
  std::vector<std::uint64_t> words(bytes / sizeof(std::uint64_t), 1);
  return least_ns(double(bytes) / line_bytes, seconds, [&] {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < words.size(); i += line_bytes / sizeof(std::uint64_t)) sum += words[i];
    keep(sum);
  });
}

double scatter_ns(std::size_t bytes, double seconds) {
  const PagedMemory memory = map_pages(Pages::huge, bytes);
  if (!memory.memory) throw std::bad_alloc();
  auto* const words = static_cast<std::uint32_t*>(memory.memory);
  std::memset(words, 0, bytes);
  const Words places(3);
  constexpr std::uint64_t stores = 1 << 18;
  std::uint64_t next = 0;
  const double ns = least_ns(double(stores), seconds, [&] {
    for (const std::uint64_t end = next + stores; next < end; ++next)
      words[(places[next] >> 32) * (bytes / sizeof *words) >> 32] = std::uint32_t(next);
    keep(words);
  });
  unmap_pages(memory);
  return ns;
}

double loop_ns(TimedLoop loop, double seconds) {
  constexpr std::size_t inputs = 1024, buckets = 512;  // 10 KiB with labels and values
  std::vector<std::uint32_t> labels(inputs), values(inputs, 1), sums(buckets);
  const Words words(2);
  for (std::size_t i = 0; i < inputs; ++i)
    labels[i] = loop == TimedLoop::equal_labels ? 0 : std::uint32_t(words[i] % buckets);
  volatile std::uint32_t zero = 0;
  constexpr int rounds = 16;
  return least_ns(double(inputs) * rounds, seconds, [&] {
    const std::uint32_t mask = zero;
    std::uint32_t offset = 0;
    for (int round = 0; round < rounds; ++round) {
      if (loop == TimedLoop::dependent) {
        for (std::size_t i = 0; i < inputs; ++i) {
          std::uint32_t& sum = sums[labels[i] + offset];
          offset = sum & mask;
          sum += values[i];
        }
      } else {
        for (std::size_t i = 0; i < inputs; ++i) sums[labels[i]] += values[i];
      }
      keep(sums.data());
    }
  });
}

}  // namespace redbench
