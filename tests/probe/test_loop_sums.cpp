// What the loop over labels and buckets does to memory while its time is taken: a loop that left out an input
// or a sum would be faster than the one that it stands for.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "src/inputs/words.hpp"
#include "src/probe/chase.hpp"
#include "tests/probe/told_clock.hpp"
#include "tests/sanitizer_support.hpp"

namespace redbench {
namespace {

/// The heap that an address is of as it was, beside itself.
class HeapBefore {
 public:
  /// The heap is in several mappings where a part of it was wished in huge pages: those of one name, or, of a
  /// thread's own heap, those that lie within 64 MiB, where each begins.
  explicit HeapBefore(const void* inside) {
    constexpr std::uintptr_t of_thread = 64 << 20;
    // With a buffer of its own: one of the heap, freed behind the loop, may make the heap smaller than was
    // read.
    std::array<char, 8192> buffer;
    std::ifstream file;
    file.rdbuf()->pubsetbuf(buffer.data(), buffer.size());
    file.open("/proc/self/maps");
    for (std::string line; std::getline(file, line);) {
      std::istringstream words(line);
      std::uintptr_t start = 0, end = 0;
      char dash = 0;
      std::string access;
      words >> std::hex >> start >> dash >> end >> access;
      const bool is_near = start / of_thread == std::uintptr_t(inside) / of_thread && line.back() == ' ';
      if (access != "rw-p" || !(line.ends_with("[heap]") || is_near)) continue;
      void* const copy =
          ::mmap(nullptr, end - start, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (copy != MAP_FAILED)
        parts_.push_back({reinterpret_cast<const std::uint32_t*>(start), static_cast<std::uint32_t*>(copy),
                          (end - start) / sizeof(std::uint32_t)});
    }
  }
  HeapBefore(const HeapBefore&) = delete;
  ~HeapBefore() {
    for (const Part& part : parts_) ::munmap(part.copy, part.numbers * sizeof *part.copy);
  }

  bool is_there() const { return !parts_.empty(); }
  void remember() {
    for (const Part& part : parts_) std::copy_n(part.now, part.numbers, part.copy);
  }
  /// By how much each number is more that is not what it was, in order; no more than there is room for.
  template <std::size_t most>
  std::size_t differences(std::array<std::uint32_t, most>& more) const {
    std::size_t count = 0;
    for (const Part& part : parts_)
      for (std::size_t i = 0; i < part.numbers && count < most; ++i)
        if (part.now[i] != part.copy[i]) more[count++] = part.now[i] - part.copy[i];
    return count;
  }

 private:
  struct Part {
    const std::uint32_t* now;
    std::uint32_t* copy;
    std::size_t numbers;
  };
  std::vector<Part> parts_;
};

/// What a try adds to each bucket that it adds to.
std::vector<std::uint32_t> sums_of(LoopLabels labels, bool& told) {
  std::array<std::uint32_t, 2048> more{};
  std::size_t count = 0;
  const std::vector<std::uint32_t> neighbour(512);  // as large as the buckets, and from the same heap
  std::optional<HeapBefore> heap;
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

/// Other threads may end meanwhile, of which the heap has notes, too.
bool has(const std::vector<std::uint32_t>& found, const std::vector<std::uint32_t>& sums) {
  return !std::ranges::search(found, sums).empty();
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
  EXPECT_TRUE(has(found, random)) << testing::PrintToString(found);
  const std::vector<std::uint32_t> dependent = sums_of(LoopLabels::dependent, told);
  EXPECT_TRUE(has(dependent, random)) << testing::PrintToString(dependent);
  const std::vector<std::uint32_t> equal = sums_of(LoopLabels::equal, told);
  EXPECT_TRUE(has(equal, {16384})) << testing::PrintToString(equal);
}

}  // namespace
}  // namespace redbench
