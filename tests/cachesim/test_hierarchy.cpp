// Which level has what an access asks for, against accesses that were counted by hand.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "src/cachesim/clock.hpp"
#include "tests/cachesim/machines.hpp"

namespace redbench::cachesim {
namespace {

using Counted = std::vector<double>;

/// Loads of these lines.
Counts counted(const Machine& machine, const std::vector<int>& lines) {
  Hierarchy hierarchy(machine, 0);
  for (const int line : lines) hierarchy.access(Site::values, std::uint64_t(line) * 64, false);
  return hierarchy.counts();
}

std::vector<int> in_order(int first, int count) {
  std::vector<int> lines;
  for (int i = 0; i < count; ++i) lines.insert(lines.end(), 4, first + i);  // four accesses of each
  return lines;
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
  const Counts two_levels = counted_pages(translating(4, 16), 5, 10);
  EXPECT_EQ(two_levels.tlb_misses, (Counted{50, 5}));
  EXPECT_EQ(two_levels.walks, 5);
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
TEST(Hierarchy, ScatteredFramesLoseNoLineAndPartThoseOfOneSet) {
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

/// All of them.
std::string text(const Counts& counts) {
  return fmt::format(
      "{}+{}, misses {}, written back {}, memory {}, ahead {}, tlb {} of loads {}, walks {} of {}",
      counts.loads, counts.stores, fmt::join(counts.misses, "/"), fmt::join(counts.write_backs, "/"),
      counts.memory_lines, counts.prefetches, fmt::join(counts.tlb_misses, "/"), counts.tlb_load_misses,
      counts.walks, counts.walk_reads);
}

// A page of a frame anywhere is 64 lines in a row, of which the first misses, and each brings the next; the
// last brings none, as what follows is another's.
TEST(Hierarchy, NothingIsFetchedAcrossAScatteredPage) {
  Machine machine = machine_of({1024}, Prefetch::next_line);
  machine.scattered_frames = true;
  EXPECT_EQ(text(counted(machine, in_order(0, 8 * 64))),
            "2048+0, misses 8, written back 0, memory 512, ahead 504, tlb  of loads 0, walks 0 of 0");
}

// Of a cache of four lines each walk takes two at most: its directory's, 8 bytes of 64 for each table of 512
// pages, and its entry's. Two directories are remembered. Time is 20 ns for each walk and 100 for each line.
TEST(Hierarchy, AWalkReadsThroughTheCachesWhatItDoesNotRemember) {
  Machine machine = machine_of({4});
  Translation translation;
  translation.levels = {{"DTLB", 1, 1, 0}};
  translation.walk_ns = 20;
  translation.directories = 2;
  machine.translations = {translation};
  Hierarchy hierarchy(machine, page);
  SerialClock clock(hierarchy);
  EXPECT_EQ(clock.load(Site::values, 0, 0), 320) << "directory, entry and line";
  EXPECT_EQ(clock.load(Site::values, 8 * 512 * page, 0), 640) << "the entry of table 8 is in another line";
  EXPECT_EQ(clock.store(Site::values, 0, 0), 860) << "the directory is remembered";
  EXPECT_EQ(clock.load(Site::values, 512 * page, 0), 1180) << "table 1, in the place of table 8";
  EXPECT_EQ(clock.load(Site::values, 8 * 512 * page, 0), 1500) << "and that in the place of table 0";
  EXPECT_EQ(clock.store(Site::values, 8 * 512 * page, 0), 1501);
  EXPECT_EQ(clock.load(Site::values, (8 * 512 + 1) * page, 0), 1622) << "the entry's line is there";
  // Four lines more, so that all that was there goes: what was stored is written back, the tables are not.
  for (std::uint64_t i = 1; i <= 4; ++i)
    EXPECT_EQ(clock.load(Site::values, (8 * 512 + 1) * page + i * line, 0), 1622 + 100 * double(i));
  EXPECT_EQ(text(hierarchy.counts()),
            "9+2, misses 10, written back 2, memory 21, ahead 0, tlb 6 of loads 5, walks 6 of 10");
}

// What an earlier loop stored is dirty, whether its line is there already or not, and is no access.
TEST(Hierarchy, WhatIsLeftIsDirtyAndNotCounted) {
  const Machine machine = machine_of({2});
  Hierarchy hierarchy(machine, 0);
  hierarchy.access(Site::values, 0, false);
  hierarchy.store_uncounted(0);
  hierarchy.store_uncounted(line);
  EXPECT_EQ(text(hierarchy.counts()),
            "1+0, misses 1, written back 0, memory 2, ahead 0, tlb  of loads 0, walks 0 of 0");
  hierarchy.access(Site::values, 2 * line, false);
  EXPECT_EQ(hierarchy.counts().write_backs, std::vector<double>{1});
  hierarchy.access(Site::values, 3 * line, false);
  EXPECT_EQ(text(hierarchy.counts()),
            "3+0, misses 3, written back 2, memory 6, ahead 0, tlb  of loads 0, walks 0 of 0");
}

// Read in the second level, a line is as clean as it was. Stored to in the first, it is dirty there alone
// until it goes, once through both levels.
TEST(Hierarchy, ALineIsDirtyWhereItWasWritten) {
  const Machine machine = machine_of({1, 3});
  Hierarchy hierarchy(machine, 0);
  const auto after = [&](std::uint64_t number, bool write = false) {
    hierarchy.access(Site::values, number * line, write);
    return text(hierarchy.counts());
  };
  after(0);
  after(1);
  EXPECT_EQ(after(0), "3+0, misses 3/2, written back 0/0, memory 2, ahead 0, tlb  of loads 0, walks 0 of 0");
  for (const std::uint64_t other : {2, 3, 4}) after(other);
  EXPECT_EQ(after(5), "7+0, misses 7/6, written back 0/0, memory 6, ahead 0, tlb  of loads 0, walks 0 of 0");
  EXPECT_EQ(after(5, true),
            "7+1, misses 7/6, written back 0/0, memory 6, ahead 0, tlb  of loads 0, walks 0 of 0");
  EXPECT_EQ(after(6), "8+1, misses 8/7, written back 1/0, memory 7, ahead 0, tlb  of loads 0, walks 0 of 0");
  after(7);
  EXPECT_EQ(after(8),
            "10+1, misses 10/9, written back 1/1, memory 10, ahead 0, tlb  of loads 0, walks 0 of 0");
}

// Line 0 is written, and stays in the first level while 1 to 4 push it out of the second, where it was never dirty.
TEST(Hierarchy, AWrittenLineThatTheNextLevelHasLostGoesToMemory) {
  const Machine machine = machine_of({2, 4});
  Hierarchy hierarchy(machine, 0);
  hierarchy.access(Site::values, 0, true);
  for (const std::uint64_t other : {1, 2, 3, 4}) {
    hierarchy.access(Site::values, other * line, false);
    hierarchy.access(Site::values, 0, false);
  }
  EXPECT_EQ(hierarchy.counts().write_backs, (Counted{0, 0}));
  const double before = hierarchy.counts().memory_lines;
  for (const std::uint64_t other : {4, 3}) hierarchy.access(Site::values, other * line, false);
  EXPECT_EQ(hierarchy.counts().write_backs, (Counted{1, 0}));
  EXPECT_EQ(hierarchy.counts().memory_lines, before + 1);
}

// Four places of a line each. Line 5 takes the place of 1, which came with 0: that 0 is used again brings
// nothing, as it had been asked for when it came. 6 came with 5, and its first use brings 7.
TEST(Hierarchy, AFirstUseIsOfALineThatCameByItself) {
  Machine machine = machine_of({4}, Prefetch::next_line);
  machine.levels[0].ways = 1;
  EXPECT_EQ(text(counted(machine, {0, 5, 0, 6, 6})),
            "5+0, misses 2, written back 0, memory 5, ahead 3, tlb  of loads 0, walks 0 of 0");
}

TEST(Counts, AddUpInEveryField) {
  const Counts one{2, 3, {5, 7}, {11, 13}, 17, 19, {23, 29}, 31, 37, 41};
  Counts sum;
  EXPECT_EQ(text(sum.add(one, 10).add(one)),
            "22+33, misses 55/77, written back 121/143, memory 187, ahead 209, tlb 253/319 of loads 341, "
            "walks 407 of 451");
  EXPECT_EQ(text(sum.add(one, -2)),
            "18+27, misses 45/63, written back 99/117, memory 153, ahead 171, tlb 207/261 of loads 279, "
            "walks 333 of 369");
}

}  // namespace
}  // namespace redbench::cachesim
