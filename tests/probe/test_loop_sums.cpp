// What the loop over labels and buckets does to memory while its time is taken: a loop that left out an input
// or a sum would be faster than the one that it stands for.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include "src/inputs/words.hpp"
#include "src/probe/chase.hpp"
#include "tests/probe/told_clock.hpp"
#include "tests/sanitizer_support.hpp"

namespace redbench {
namespace {

/// The memory around an address as it was, beside itself.
class MemoryBefore {
 public:
  explicit MemoryBefore(const void* inside) {
    std::ifstream file("/proc/self/maps");
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::uintptr_t start = 0, end = 0;
      char dash = 0;
      words >> std::hex >> start >> dash >> end;
      if (start <= std::uintptr_t(inside) && std::uintptr_t(inside) < end) {
        memory_ = reinterpret_cast<const std::uint32_t*>(start);
        bytes_ = end - start;
      }
    }
    if (bytes_ == 0) return;
    void* const copy = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED) return;
    copy_ = static_cast<std::uint32_t*>(copy);
  }
  MemoryBefore(const MemoryBefore&) = delete;
  ~MemoryBefore() {
    if (copy_) ::munmap(copy_, bytes_);
  }

  bool is_there() const { return copy_; }
  void remember() { std::memcpy(copy_, memory_, bytes_); }
  /// By how much each number is more that is not what it was, in order; no more than there is room for.
  template <std::size_t most>
  std::size_t differences(std::array<std::uint32_t, most>& more) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < bytes_ / sizeof *memory_ && count < most; ++i)
      if (memory_[i] != copy_[i]) more[count++] = memory_[i] - copy_[i];
    return count;
  }

 private:
  const std::uint32_t* memory_ = nullptr;
  std::uint32_t* copy_ = nullptr;
  std::size_t bytes_ = 0;
};

/// What a try adds to each bucket that it adds to.
std::vector<std::uint32_t> sums_of(LoopLabels labels, bool& told) {
  std::array<std::uint32_t, 2048> more{};
  std::size_t count = 0;
  const std::vector<std::uint32_t> neighbour(512);  // as large as the buckets, and from the same heap
  std::optional<MemoryBefore> heap;
  ToldClock clock = clock_of({{1, 16384}});
  clock.on_ask = [&](std::size_t asked) {
    if (asked == 0) heap.emplace(neighbour.data());
    if (!heap->is_there()) return;
    if (asked == 1) heap->remember();  // the try begins
    if (asked == 2) count = heap->differences(more);
  };
  told_clock = &clock;
  EXPECT_NEAR(loop_ns(labels, 0), 1, 1e-9);
  told_clock = nullptr;
  EXPECT_EQ(clock.asked, 4u);
  told = heap && heap->is_there();
  return {more.begin(), more.begin() + std::ptrdiff_t(count)};
}

// 1024 inputs of 1 each, sixteen times over, in 512 buckets.
TEST(LoopSums, AreOfEveryInputInItsBucket) {
  if (is_sanitized()) GTEST_SKIP() << "a sanitizer has a heap of its own";
  std::array<std::uint32_t, 512> buckets{};
  const Words words(2);
  for (std::size_t i = 0; i < 1024; ++i) buckets[words[i] % 512] += 16;
  std::vector<std::uint32_t> random;
  for (const std::uint32_t sum : buckets)
    if (sum > 0) random.push_back(sum);
  bool told = false;
  const std::vector<std::uint32_t> found = sums_of(LoopLabels::random, told);
  if (!told) GTEST_SKIP() << "this system does not tell where the heap is";
  EXPECT_EQ(found, random);
  EXPECT_EQ(sums_of(LoopLabels::dependent, told), random);
  EXPECT_EQ(sums_of(LoopLabels::equal, told), std::vector<std::uint32_t>{16384});
}

}  // namespace
}  // namespace redbench
