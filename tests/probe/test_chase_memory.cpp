// Which memory a chase, a stream and scattered stores go through, and in which order.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "src/probe/chase.hpp"
#include "tests/probe/told_clock.hpp"
#include "tests/probe/touched_pages.hpp"
#include "tests/sanitizer_support.hpp"

namespace redbench {
namespace {

constexpr std::size_t page = TouchedPages::page, mebi = 1 << 20;

class ChaseMemory : public testing::Test {
 protected:
  void SetUp() override {
    if (is_sanitized()) GTEST_SKIP() << "a sanitizer has the signals";
    if (before_.empty() || ::sysconf(_SC_PAGESIZE) != long(page))
      GTEST_SKIP() << "this system does not tell what is mapped in pages of 4 kB";
  }
  /// Where the only new memory of so many bytes begins.
  std::uintptr_t start_of(std::size_t bytes) const {
    std::vector<std::uintptr_t> starts;
    for (const auto& [start, end] : since(before_))
      if (end - start == bytes) starts.push_back(start);
    EXPECT_EQ(starts.size(), 1u);
    return starts.empty() ? 0 : starts[0];
  }

  Mappings before_ = writable_mappings();
};

/// Where the slots of a pool begin, and how many of them a walk that begins at the first comes to.
std::size_t length_of_circle(std::uintptr_t start, const std::vector<std::size_t>& slots) {
  std::set<std::uintptr_t> places;
  for (const std::size_t offset : slots) places.insert(start + offset);
  std::set<std::uintptr_t> met;
  std::uintptr_t at = start;
  while (places.contains(at) && met.insert(at).second) at = *reinterpret_cast<std::uintptr_t*>(at);
  EXPECT_EQ(at, start) << "it ends where it began";
  return met.size();
}

// A circle of half of the slots would be of a pool half as large.
TEST_F(ChaseMemory, ACircleGoesThroughEverySlot) {
  for (const std::size_t slots : {1, 2, 3, 100, 1024}) {
    const Chase chase({.bytes = 64 * slots + 63, .pages = Pages::small});
    std::vector<std::size_t> offsets;
    for (std::size_t i = 0; i < slots; ++i) offsets.push_back(64 * i);
    EXPECT_EQ(length_of_circle(start_of(2 * mebi), offsets), slots);
  }
  // From a page to the next another line is taken, from the 65th on the same again.
  for (const std::size_t slots : {5, 64, 66, 511}) {
    const Chase chase({.bytes = page * slots, .step_bytes = page, .pages = Pages::small});
    std::vector<std::size_t> offsets;
    for (std::size_t i = 0; i < slots; ++i) offsets.push_back(page * i + i % 64 * 64);
    EXPECT_EQ(length_of_circle(start_of(2 * mebi), offsets), slots);
  }
  const Chase chase({.bytes = 1280, .step_bytes = 128, .pages = Pages::small});
  EXPECT_EQ(length_of_circle(start_of(2 * mebi), {0, 192, 256, 448, 512, 704, 768, 960, 1024, 1216}), 10u);
}

/// The first address that is touched on each of 512 pages, as so many walks at once go through them.
struct Walked {
  std::vector<std::size_t> offsets;
  std::size_t before_the_clock = 0;  // how many of them
};

// Walks begin evenly along the circle, and go on in step; they are through before time is taken.
TEST_F(ChaseMemory, WalksShareTheCircle) {
  constexpr std::size_t slots = 512;
  const Chase chase({.bytes = slots * page, .step_bytes = page, .pages = Pages::small});
  const std::uintptr_t start = start_of(slots * page);
  ASSERT_NE(start, 0u);
  const auto walked = [&](int walks) {
    TouchedPages touched(start, slots * page);
    Walked found;
    ToldClock clock = clock_of({{1, 4096}});
    clock.on_ask = [&](std::size_t asked) {
      if (asked == 0) found.before_the_clock = touched.offsets().size();
    };
    told_clock = &clock;
    chase.ns(walks, 0);
    told_clock = nullptr;
    found.offsets = touched.offsets();
    return found;
  };
  const std::vector<std::size_t> circle = walked(1).offsets;
  std::size_t in_order = 0;
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const std::size_t slot = circle[i] / page;
    EXPECT_EQ(circle[i] % page, slot % 64 * 64);
    in_order += i > 0 && slot == circle[i - 1] / page + 1;
  }
  EXPECT_LT(in_order, 10u) << "no prefetcher knows what comes next";
  for (const std::size_t walks : {1, 2, 4, 8, 16, 32}) {
    Walked found = walked(int(walks));
    EXPECT_EQ(found.before_the_clock, slots) << walks;
    std::vector<std::size_t> expected;
    for (std::size_t step = 0; step < slots / walks; ++step)
      for (std::size_t walk = 0; walk < walks; ++walk)
        expected.push_back(circle.at(walk * (slots / walks) + step));
    // Within a step they come in any order.
    ASSERT_EQ(found.offsets.size(), slots) << walks;
    for (std::size_t step = 0; step < slots; step += walks)
      for (std::vector<std::size_t>* const all : {&found.offsets, &expected})
        std::sort(all->begin() + std::ptrdiff_t(step), all->begin() + std::ptrdiff_t(step + walks));
    EXPECT_EQ(found.offsets, expected) << walks;
  }
}

// A vector of the words that are read lies behind what the C library notes of it.
TEST_F(ChaseMemory, AStreamReadsEachPageInOrder) {
  constexpr std::size_t bytes = 40 * mebi;
  std::optional<TouchedPages> touched;
  ToldClock clock = clock_of({{1, bytes / 64}});
  std::size_t touched_pages = 0;
  clock.on_ask = [&](std::size_t asked) {
    if (asked == 1) touched.emplace(start_of(bytes + page), bytes + page);
    if (asked == 3) touched_pages = touched->offsets().size();
  };
  told_clock = &clock;
  stream_ns(bytes, 0);
  told_clock = nullptr;
  touched->memory_is_gone();
  EXPECT_EQ(touched_pages, bytes / page);
  std::vector<std::size_t> expected(bytes / page);
  for (std::size_t i = 1; i < expected.size(); ++i) expected[i] = i * page + 16;
  expected[0] = 16;
  EXPECT_TRUE(std::ranges::equal(touched->offsets(), expected));
}

// Of 2^18 stores many are on each of 256 pages, and none behind them.
TEST_F(ChaseMemory, StoresAreScatteredOverAllThatIsAskedFor) {
  constexpr std::size_t bytes = mebi;
  std::optional<TouchedPages> touched;
  ToldClock clock = clock_of({{1, 1 << 18}});
  clock.on_ask = [&](std::size_t asked) {
    if (asked == 1) touched.emplace(start_of(2 * mebi), 2 * mebi);
  };
  told_clock = &clock;
  scatter_ns(bytes, 0);
  told_clock = nullptr;
  touched->memory_is_gone();
  std::set<std::size_t> pages;
  std::size_t in_order = 0, before = 0;
  for (const std::size_t offset : touched->offsets()) {
    EXPECT_LT(offset, bytes);
    in_order += offset / page == before + 1;
    pages.insert(before = offset / page);
  }
  EXPECT_EQ(pages.size(), bytes / page);
  EXPECT_LT(in_order, 10u);
}

}  // namespace
}  // namespace redbench
