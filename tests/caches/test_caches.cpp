// The cache simulator against accesses that were counted by hand.
#include <gtest/gtest.h>

#include "src/caches/clock.hpp"

namespace redbench::caches {
namespace {

using Counted = std::vector<double>;

Machine one_level(std::uint64_t bytes, unsigned ways, Replacement replacement = Replacement::lru) {
  Machine machine;
  machine.levels = {{"L1", bytes, ways, 1, replacement}};
  machine.memory_ns = 100;
  machine.prefetch = Prefetch::none;
  return machine;
}

/// Loads of these lines.
Counts counted(const Machine& machine, const std::vector<int>& lines) {
  Hierarchy hierarchy(machine, 0);
  for (const int line : lines) hierarchy.access(Site::values, std::uint64_t(line) * 64, false);
  return hierarchy.counts();
}

TEST(Caches, LinesOfOneSetThrowEachOtherOutOfADirectMappedCache) {
  const Machine machine = one_level(16 * 64, 1);
  EXPECT_EQ(counted(machine, {0, 16, 0, 16, 0, 16}).misses, Counted{6});
  EXPECT_EQ(counted(machine, {0, 1, 0, 1, 15, 17}).misses, Counted{4}) << "17 takes the place of 1 alone";
  EXPECT_EQ(counted(one_level(16 * 64, 2), {0, 16, 0, 16, 0, 16}).misses, Counted{2}) << "two ways hold both";
}

TEST(Caches, OfThreeSetsThePlaceIsTheRest) {
  EXPECT_EQ(counted(one_level(3 * 64, 1), {0, 3, 0, 1, 2, 1, 2}).misses, Counted{5});
}

// First in, first out, would let 0 go.
TEST(Caches, TheLeastRecentlyUsedLineGoes) {
  EXPECT_EQ(counted(one_level(2 * 64, 2), {0, 1, 0, 2, 0}).misses, Counted{3});
  EXPECT_EQ(counted(one_level(2 * 64, 2), {0, 1, 0, 2, 1}).misses, Counted{4});
}

// After 0 1 2 3 0 the root points to the right half, and that to 2, though 1 was used before it.
TEST(Caches, ATreePointsAwayFromWhatWasUsedLast) {
  const Machine tree = one_level(4 * 64, 4, Replacement::tree_plru), lru = one_level(4 * 64, 4);
  EXPECT_EQ(counted(tree, {0, 1, 2, 3, 0, 4, 1}).misses, Counted{5});
  EXPECT_EQ(counted(tree, {0, 1, 2, 3, 0, 4, 2}).misses, Counted{6});
  EXPECT_EQ(counted(lru, {0, 1, 2, 3, 0, 4, 1}).misses, Counted{6});
  EXPECT_EQ(counted(lru, {0, 1, 2, 3, 0, 4, 2}).misses, Counted{5});
}

Machine two_levels() {
  Machine machine = one_level(64, 1);
  machine.levels.push_back({"L2", 4 * 64, 4, 10, Replacement::lru});
  return machine;
}

TEST(Caches, AWrittenLineGoesToTheNextLevelAndFromThereToMemory) {
  const Machine machine = two_levels();
  Hierarchy hierarchy(machine, 0);
  const auto line = [&](int number, bool write) {
    hierarchy.access(Site::values, std::uint64_t(number) * 64, write);
    return hierarchy.counts();
  };
  line(0, true);
  EXPECT_EQ(line(1, false).write_backs, (Counted{1, 0})) << "to L2, which has the line";
  EXPECT_EQ(hierarchy.counts().memory_lines, 2) << "both came from there, nothing went";
  EXPECT_EQ(line(2, false).write_backs, (Counted{1, 0})) << "a line that was only read is not written";
  line(3, false);
  EXPECT_EQ(line(4, false).write_backs, (Counted{1, 1})) << "four later lines make it leave L2";
  EXPECT_EQ(hierarchy.counts().memory_lines, 6);
  EXPECT_EQ(hierarchy.counts().misses, (Counted{5, 5}));
  EXPECT_EQ(line(3, false).misses, (Counted{6, 5})) << "L2 has it";
}

// L1 holds 0 all the while, so that L2 forgets it first.
TEST(Caches, AWrittenLineThatTheNextLevelHasLostGoesToMemory) {
  Machine machine = two_levels();
  machine.levels[0] = {"L1", 2 * 64, 2, 1, Replacement::lru};
  Hierarchy hierarchy(machine, 0);
  const auto line = [&](int number, bool write = false) {
    hierarchy.access(Site::values, std::uint64_t(number) * 64, write);
  };
  line(0, true);
  for (const int other : {1, 2, 3, 4}) {
    line(other);
    line(0);
  }
  EXPECT_EQ(hierarchy.counts().write_backs, (Counted{0, 0}));
  const double before = hierarchy.counts().memory_lines;
  line(4);
  line(3);  // in L2; takes the place of 0, the older one of L1
  EXPECT_EQ(hierarchy.counts().write_backs, (Counted{1, 0}));
  EXPECT_EQ(hierarchy.counts().memory_lines, before + 1);
}

std::vector<int> in_order(int first, int count) {
  std::vector<int> lines;
  for (int i = 0; i < count; ++i) lines.insert(lines.end(), 4, first + i);  // four accesses of each
  return lines;
}

TEST(Prefetch, TheNextLineIsThereBeforeItIsAskedFor) {
  Machine machine = one_level(32 * 64, 4);
  EXPECT_EQ(counted(machine, in_order(7, 64)).misses, Counted{64});
  machine.prefetch = Prefetch::next_line;
  const Counts counts = counted(machine, in_order(7, 64));
  EXPECT_EQ(counts.misses, Counted{1});
  EXPECT_EQ(counts.prefetches, 64) << "once for each line, not for each access";
  EXPECT_EQ(counts.memory_lines, 65);
}

// The first step may be any, the second is the first of its kind, the third is the second of its kind.
TEST(Prefetch, AConstantStepIsKnownAtItsSecondTime) {
  Machine machine = one_level(32 * 64, 4);
  machine.prefetch = Prefetch::stride;
  EXPECT_EQ(counted(machine, in_order(7, 64)).misses, Counted{3});
  EXPECT_EQ(counted(machine, {7, 10, 13, 16, 19, 22}).misses, Counted{3});
  EXPECT_EQ(counted(machine, {70, 67, 64, 61, 58}).misses, Counted{3}) << "downwards, too";
  EXPECT_EQ(counted(machine, {7, 8, 10, 13, 17}).prefetches, 0);
  Hierarchy hierarchy(machine, 0);
  for (std::uint64_t i = 0; i < 64; ++i) {
    hierarchy.access(Site::labels, (100 + i) * 64, false);
    hierarchy.access(Site::values, (1003 + 2 * i) * 64, false);
  }
  EXPECT_EQ(hierarchy.counts().misses, Counted{6}) << "each place in the program has steps of its own";
}

// Two of 64 lines of each page miss. 33 streams in turn are one too many to be known.
TEST(Prefetch, StreamsAreKnownByTheirPage) {
  Machine machine = one_level(1 << 20, 16);
  machine.prefetch = Prefetch::streams;
  EXPECT_EQ(counted(machine, in_order(64, 64)).misses, Counted{2});
  EXPECT_EQ(counted(machine, in_order(64, 128)).misses, Counted{4}) << "none goes across a page";
  const auto in_turn = [&](int streams) {
    std::vector<int> lines;
    for (int i = 0; i < 64; ++i)
      for (int stream = 0; stream < streams; ++stream) lines.push_back(64 * stream + i);
    return counted(machine, lines).misses;
  };
  EXPECT_EQ(in_turn(32), Counted{2 * 32});
  EXPECT_EQ(in_turn(33), Counted{64 * 33});
}

Machine translating(std::uint64_t entries, std::uint64_t second = 0) {
  Machine machine = one_level(1 << 20, 16);
  Translation translation;
  translation.levels = {{"DTLB", entries, unsigned(entries), 0}};
  if (second) translation.levels.push_back({"STLB", second, unsigned(second), 5});
  translation.walk_ns = 20;
  machine.translations = {translation};
  return machine;
}

Counts counted_pages(const Machine& machine, int pages, int rounds, std::uint64_t page_bytes = 4096) {
  Hierarchy hierarchy(machine, page_bytes);
  for (int round = 0; round < rounds; ++round)
    for (int page = 0; page < pages; ++page)
      hierarchy.access(Site::values, std::uint64_t(page) * 4096, page % 2 == 1);
  return hierarchy.counts();
}

TEST(Tlb, APageMoreThanItHoldsMissesEveryTime) {
  EXPECT_EQ(counted_pages(translating(4), 4, 10).tlb_misses, Counted{4});
  const Counts counts = counted_pages(translating(4), 5, 10);
  EXPECT_EQ(counts.tlb_misses, Counted{50});
  EXPECT_EQ(counts.tlb_load_misses, 30) << "of five pages two are stored to";
  EXPECT_EQ(counts.walks, 50);
  EXPECT_EQ(counts.walk_reads, 51) << "the directory above them once";
  EXPECT_EQ(counts.loads + counts.stores, 50) << "what walks read is no access of the program";
}

TEST(Tlb, TheSecondLevelSparesTheWalk) {
  const Counts counts = counted_pages(translating(4, 16), 5, 10);
  EXPECT_EQ(counts.tlb_misses, (Counted{50, 5}));
  EXPECT_EQ(counts.walks, 5);
}

TEST(Tlb, ALargerPageHoldsMore) {
  Machine machine = translating(4);
  machine.translations.push_back(machine.translations[0]);
  machine.translations[1].page_bytes = 1 << 21;
  EXPECT_EQ(counted_pages(machine, 512, 2, 1 << 21).tlb_misses, Counted{1});
  EXPECT_EQ(counted_pages(machine, 513, 2, 1 << 21).tlb_misses, Counted{2});
  EXPECT_EQ(counted_pages(machine, 512, 2, 0).tlb_misses, Counted{}) << "0: no translation";
}

// A line in its own page's frame: the same number of misses, but lines of two pages no longer share a set.
TEST(Caches, ScatteredFramesLoseNoLineAndPartThoseOfOneSet) {
  Machine machine = one_level(64 * 4096, 1);
  std::vector<int> lines;
  for (int i = 0; i < 16; ++i) lines.push_back(i * 64 * 64);  // 64 pages apart: one set
  lines.insert(lines.end(), lines.begin(), lines.end());
  EXPECT_EQ(counted(machine, lines).misses, Counted{32});
  machine.scattered_frames = true;
  const double misses = counted(machine, lines).misses[0];
  EXPECT_GE(misses, 16);
  EXPECT_LT(misses, 24);
  // A page fills its frame: its 4096 bytes are 64 lines, wherever within them one is accessed.
  Hierarchy hierarchy(machine, 0);
  for (std::uint64_t byte = 0; byte < 4096; byte += 4) hierarchy.access(Site::values, byte, false);
  EXPECT_EQ(hierarchy.counts().misses, Counted{64});
}

TEST(SerialClock, AddsUpTheTimeOfTheLevelThatHasEachLine) {
  const Machine machine = two_levels();
  Hierarchy hierarchy(machine, 0);
  SerialClock clock(hierarchy);
  EXPECT_EQ(clock.load(Site::values, 0, 0), 100);
  EXPECT_EQ(clock.store(Site::values, 4, 0), 101);
  EXPECT_EQ(clock.load(Site::values, 64, 0), 201);
  EXPECT_EQ(clock.load(Site::values, 0, 0), 211) << "L2 has it";
}

TEST(SerialClock, TranslationComesFirst) {
  const Machine machine = translating(4);
  Hierarchy hierarchy(machine, 4096);
  SerialClock clock(hierarchy);
  EXPECT_EQ(clock.load(Site::values, 0, 0), 20 + 100 + 100 + 100) << "the directory, the table, the line";
  EXPECT_EQ(clock.load(Site::values, 4096, 0), 320 + 20 + 1 + 100) << "its entry lies in the same line";
  EXPECT_EQ(clock.load(Site::values, 4100, 0), 442);
}

// Five pages go through a TLB of four, so that the first is found in the one behind it, whose hit takes 5 ns.
TEST(SerialClock, AHitInTheSecondTlbTakesItsTime) {
  const Machine machine = translating(4, 16);
  Hierarchy hierarchy(machine, 4096);
  SerialClock clock(hierarchy);
  Time before = 0;
  for (const std::uint64_t page : {0, 1, 2, 3, 4}) before = clock.load(Site::values, page * 4096, 0);
  EXPECT_EQ(clock.load(Site::values, 0, 0), before + 5 + 1) << "and the line is in the first level";
  EXPECT_EQ(clock.load(Site::values, 0, 0), before + 6 + 1) << "now the first TLB has the page";
}

/// So many loads of lines that no cache has.
Time missed(const Machine& machine, int loads, bool each_waits) {
  Hierarchy hierarchy(machine, machine.translations.empty() ? 0 : 4096);
  OverlappedClock clock(hierarchy, machine);
  Time last = 0;
  for (int i = 0; i < loads; ++i) {
    last = clock.load(Site::values, std::uint64_t(i + 1) * 4096, each_waits ? last : 0);
    clock.next_input();
  }
  return clock.now();
}

Machine overlapping() {
  Machine machine = one_level(4096, 4);
  machine.core = {.input_ns = 1,
                  .forward_ns = 5,
                  .misses = 4,
                  .store_misses = 4,
                  .window = 64,
                  .stores = 8,
                  .walks = 1,
                  .line_ns = 2};
  return machine;
}

TEST(OverlappedClock, WhatWaitsForEachOtherTakesTheSumAndWhatDoesNotItsShare) {
  Machine machine = overlapping();
  EXPECT_EQ(missed(machine, 1000, true), 100000);
  EXPECT_NEAR(missed(machine, 1000, false), 25000, 200) << "four lines at a time";
  machine.core.misses = 10;
  EXPECT_NEAR(missed(machine, 1000, false), 10000, 200);
  machine.core.window = 5;
  EXPECT_NEAR(missed(machine, 1000, false), 20000, 200) << "five inputs at a time";
  machine.core.window = 64;
  machine.core.line_ns = 30;
  EXPECT_NEAR(missed(machine, 1000, false), 30000, 200) << "a line every 30 ns";
}

TEST(OverlappedClock, StoresOverlapAmongThemselves) {
  Machine machine = overlapping();
  machine.core.store_misses = 2;
  Hierarchy hierarchy(machine, 0);
  OverlappedClock clock(hierarchy, machine);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    clock.store(Site::results, (i + 1) * 4096, 0);
    clock.next_input();
  }
  EXPECT_NEAR(clock.now(), 50000, 1000) << "two of them at a time";
}

TEST(OverlappedClock, PageWalksWaitForEachOther) {
  Machine machine = overlapping();
  machine.core.misses = 100;
  machine.translations = translating(4).translations;
  machine.translations[0].walk_ns = 80;
  const Time one = missed(machine, 1000, false);
  machine.core.walks = 4;
  const Time four = missed(machine, 1000, false);
  EXPECT_GT(one, 80000);
  EXPECT_NEAR(four, one / 4, one / 20);
}

TEST(OverlappedClock, UpdatesOfOneBucketFollowEachOther) {
  const Machine machine = overlapping();
  Hierarchy hierarchy(machine, 0);
  OverlappedClock clock(hierarchy, machine);
  const auto update = [&](std::uint64_t address) {
    clock.store(Site::buckets, address, clock.load(Site::buckets, address, 0));
    clock.next_input();
  };
  for (int i = 0; i < 1000; ++i) update(0);
  const Time equal = clock.now();
  EXPECT_NEAR(equal, 5000, 200);
  for (int i = 0; i < 1000; ++i) update(std::uint64_t(i % 32) * 4);
  EXPECT_NEAR(clock.now() - equal, 1000, 300) << "others need not wait";
}

}  // namespace
}  // namespace redbench::caches
