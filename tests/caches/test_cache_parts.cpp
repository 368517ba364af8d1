// The cache simulator's parts, step by step: what each call gives, counted by hand.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "src/caches/clock.hpp"

namespace redbench::caches {
namespace {

/// Four sets of two ways: blocks 1, 5, 9, ... share set 1. With two ways a tree is the order of use.
class TwoWays : public testing::TestWithParam<Replacement> {
 protected:
  std::string inserted(Block block, bool dirty = false, bool ahead_of_use = false) {
    const Cache::Victim gone = cache_.insert(block, dirty, ahead_of_use);
    return fmt::format("{} {}", gone.block, gone.is_dirty ? "dirty" : "clean");
  }
  std::string used(Block block, bool write = false) {
    const Cache::Found found = cache_.use(block, write);
    return std::string(found.hit ? "hit" : "miss") + (found.first_use ? " first" : "");
  }
  Cache cache_{4, 2, GetParam()};
};

TEST_P(TwoWays, TellWhatTheyHoldAndWhatGoes) {
  const std::string none = "0 clean";
  EXPECT_EQ(used(5, true), "miss");
  EXPECT_FALSE(cache_.holds(5));
  EXPECT_EQ(inserted(5), none);
  EXPECT_TRUE(cache_.holds(5));
  for (const Block other : {1, 4, 6, 7, 9}) EXPECT_FALSE(cache_.holds(other)) << other;
  EXPECT_EQ(inserted(9, false, true), none);
  EXPECT_EQ(used(5, true), "hit") << "which makes it dirty";
  EXPECT_EQ(used(5), "hit");
  EXPECT_EQ(used(9), "hit first");
  EXPECT_EQ(used(9), "hit");
  EXPECT_EQ(inserted(13, true, true), "5 dirty");
  EXPECT_EQ(inserted(17), "9 clean");
  EXPECT_EQ(inserted(21), "13 dirty") << "it was never used";
  EXPECT_TRUE(cache_.take_back(17));
  EXPECT_FALSE(cache_.take_back(13)) << "it has gone";
  EXPECT_EQ(inserted(25), "17 dirty") << "to take it back was no use of it";
  EXPECT_EQ(inserted(2), none) << "another set";
  EXPECT_EQ(inserted(29), "21 clean");
  EXPECT_TRUE(cache_.holds(25) && cache_.holds(29) && cache_.holds(2));
}

INSTANTIATE_TEST_SUITE_P(Caches, TwoWays, testing::Values(Replacement::lru, Replacement::tree_plru),
                         [](const auto& info) {
                           return std::string(replacement_names[std::size_t(info.param)]);
                         });

/// All of them.
std::string text(const Counts& counts) {
  return fmt::format(
      "{}+{}, misses {}, written back {}, memory {}, ahead {}, tlb {} of loads {}, walks {} of {}",
      counts.loads, counts.stores, fmt::join(counts.misses, "/"), fmt::join(counts.write_backs, "/"),
      counts.memory_lines, counts.prefetches, fmt::join(counts.tlb_misses, "/"), counts.tlb_load_misses,
      counts.walks, counts.walk_reads);
}

/// Levels of so many lines, each of one set.
Machine machine_of(const std::vector<unsigned>& lines, Prefetch prefetch = Prefetch::none) {
  Machine machine;
  double ns = 1;
  for (const unsigned count : lines) {
    machine.levels.push_back({"L", std::uint64_t(count) * 64, count, ns, Replacement::lru});
    ns *= 10;
  }
  machine.memory_ns = 100;
  machine.prefetch = prefetch;
  return machine;
}

constexpr std::uint64_t page = 4096, line = 64;

// A page of a frame anywhere is 64 lines in a row, of which the first misses, and each brings the next; the
// last brings none, as what follows is another's. Steps of two lines are known at the third, and bring the
// 29 from the fourth on.
TEST(HierarchyParts, NothingIsFetchedAcrossAScatteredPage) {
  Machine machine = machine_of({1024}, Prefetch::next_line);
  machine.scattered_frames = true;
  Hierarchy in_order(machine, 0);
  for (std::uint64_t i = 0; i < 8 * 64; ++i) in_order.access(Site::values, i * line, false);
  EXPECT_EQ(text(in_order.counts()),
            "512+0, misses 8, written back 0, memory 512, ahead 504, tlb  of loads 0, walks 0 of 0");
  machine.prefetch = Prefetch::stride;
  Hierarchy by_two(machine, page);
  for (std::uint64_t i = 0; i < 32; ++i) by_two.access(Site::values, i * 2 * line, false);
  EXPECT_EQ(text(by_two.counts()),
            "32+0, misses 3, written back 0, memory 32, ahead 29, tlb  of loads 0, walks 0 of 0");
}

// Of a cache of four lines each walk takes two at most: its directory's, 8 bytes of 64 for each table of 512
// pages, and its entry's. Two directories are remembered. Time is 20 ns for each walk and 100 for each line.
TEST(HierarchyParts, AWalkReadsThroughTheCachesWhatItDoesNotRemember) {
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

// A walk's entry that the second level has takes 10 ns, and comes into the first.
TEST(HierarchyParts, AWalkFindsItsEntryInTheSecondLevel) {
  Machine machine = machine_of({2, 8});
  Translation translation;
  translation.levels = {{"DTLB", 1, 1, 0}};
  translation.walk_ns = 20;
  machine.translations = {translation};
  Hierarchy hierarchy(machine, page);
  SerialClock clock(hierarchy);
  EXPECT_EQ(clock.load(Site::values, 0, 0), 320);
  EXPECT_EQ(clock.load(Site::values, line, 0), 420);
  EXPECT_EQ(clock.load(Site::values, 2 * line, 0), 520);
  EXPECT_EQ(clock.load(Site::values, page, 0), 650) << "walk, entry, line: 20 + 10 + 100";
  EXPECT_EQ(clock.load(Site::values, 0, 0), 681) << "20 + 1 + 10";
  EXPECT_EQ(text(hierarchy.counts()),
            "5+0, misses 5/4, written back 0/0, memory 6, ahead 0, tlb 3 of loads 3, walks 3 of 4");
  EXPECT_EQ(clock.load(Site::values, 8 * page, 0), 901) << "the ninth entry is in the next line";
}

// What an earlier loop stored is dirty, whether its line is there already or not, and is no access.
TEST(HierarchyParts, WhatIsLeftIsDirtyAndNotCounted) {
  const Machine machine = machine_of({2});
  Hierarchy hierarchy(machine, 0);
  hierarchy.access(Site::values, 0, false);
  hierarchy.leave(0);
  hierarchy.leave(line);
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
TEST(HierarchyParts, ALineIsDirtyWhereItWasWritten) {
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

// Four places of a line each. Line 5 takes the place of 1, which came with 0: that 0 is used again brings
// nothing, as it had been asked for when it came.
TEST(HierarchyParts, AFirstUseIsOfALineThatCameByItself) {
  Machine machine = machine_of({4}, Prefetch::next_line);
  machine.levels[0].ways = 1;
  for (const bool write : {false, true}) {
    Hierarchy asked(machine, 0);
    const std::string accesses = write ? "3+2" : "5+0";
    for (const std::uint64_t number : {0, 5, 0, 6, 6})
      asked.access(Site::values, number * line, write && number != 6 && number != 5);
    EXPECT_EQ(text(asked.counts()),
              accesses + ", misses 2, written back 0, memory 5, ahead 3, tlb  of loads 0, walks 0 of 0")
        << "1, 6, and 7 with the first use of 6";
  }
  Hierarchy left(machine, 0);
  left.leave(0);
  left.access(Site::values, 0, false);
  EXPECT_EQ(text(left.counts()),
            "1+0, misses 0, written back 0, memory 1, ahead 0, tlb  of loads 0, walks 0 of 0");
  left.access(Site::values, 4 * line, false);
  EXPECT_EQ(text(left.counts()),
            "2+0, misses 1, written back 1, memory 4, ahead 1, tlb  of loads 0, walks 0 of 0")
      << "0 goes to memory, 4 and 5 come from there";
}

TEST(CountsParts, AddUpInEveryField) {
  const Counts one{2, 3, {5, 7}, {11, 13}, 17, 19, {23, 29}, 31, 37, 41};
  Counts sum = one.scaled(10);
  sum += one;
  EXPECT_EQ(text(sum),
            "22+33, misses 55/77, written back 121/143, memory 187, ahead 209, tlb 253/319 of loads 341, "
            "walks 407 of 451");
  EXPECT_EQ(text(sum - one.scaled(2)),
            "18+27, misses 45/63, written back 99/117, memory 153, ahead 171, tlb 207/261 of loads 279, "
            "walks 333 of 369");
}

TEST(SerialClock, WaitsForNoValue) {
  const Machine machine = machine_of({4});
  Hierarchy hierarchy(machine, 0);
  SerialClock clock(hierarchy);
  EXPECT_EQ(clock.chained(7), 7) << "an address is known with its value";
  EXPECT_EQ(clock.load(Site::values, 0, 5000), 100);
  EXPECT_EQ(clock.now(), 100);
}

/// A core on which nothing waits but for what a test says.
Machine plenty(Prefetch prefetch = Prefetch::none) {
  Machine machine = machine_of({64}, prefetch);
  machine.core = {.input_ns = 0,
                  .forward_ns = 5,
                  .chain_ns = 9,
                  .misses = 8,
                  .store_misses = 8,
                  .window = 8,
                  .stores = 8,
                  .walks = 1,
                  .line_ns = 2};
  return machine;
}

// One line at a time for loads and one for stores; what the first level has takes no such place and waits for
// none.
TEST(OverlappedClock, HitsNeitherTakeNorWaitForAMissesPlace) {
  Machine machine = plenty();
  machine.core.misses = machine.core.store_misses = 1;
  Hierarchy hierarchy(machine, 0);
  OverlappedClock clock(hierarchy, machine);
  EXPECT_EQ(clock.load(Site::values, 0, 0), 100);
  EXPECT_EQ(clock.load(Site::values, 4, 0), 1);
  EXPECT_EQ(clock.load(Site::values, line, 0), 200);
  EXPECT_EQ(clock.load(Site::values, line + 4, 150), 151);
  EXPECT_EQ(clock.store(Site::values, 2 * line, 0), 104)
      << "the bus is busy from 100 on with the second line";
  EXPECT_EQ(clock.store(Site::values, 2 * line + 4, 0), 1);
  EXPECT_EQ(clock.store(Site::values, 3 * line, 3), 204) << "the first store's line comes first";
  EXPECT_EQ(clock.load(Site::values, 4 * line, 250), 350);
  EXPECT_EQ(clock.chained(350), 359);
}

// The line fetched ahead takes the bus as long as the one that was asked for; its first use brings the third.
TEST(OverlappedClock, AllLinesOfAnAccessGoOverTheBus) {
  Machine machine = plenty(Prefetch::next_line);
  machine.core.line_ns = 80;
  Hierarchy hierarchy(machine, 0);
  OverlappedClock clock(hierarchy, machine);
  EXPECT_EQ(clock.load(Site::values, 0, 0), 160);
  EXPECT_EQ(clock.load(Site::values, line, 0), 240);
  EXPECT_EQ(clock.load(Site::values, line + 4, 0), 1);
}

TEST(OverlappedClock, APageInTheSecondTlbTakesItsTime) {
  Machine machine = plenty();
  Translation translation;
  translation.levels = {{"DTLB", 1, 1, 3}, {"STLB", 4, 4, 7}};
  translation.walk_ns = 20;
  machine.translations = {translation};
  Hierarchy hierarchy(machine, page);
  OverlappedClock clock(hierarchy, machine);
  EXPECT_EQ(clock.load(Site::values, 0, 1000), 1320) << "directory, entry, line";
  EXPECT_EQ(clock.load(Site::values, page, 1000), 1341)
      << "the second walk waits for the first, which ended with its entry at 1220";
  EXPECT_EQ(clock.load(Site::values, 0, 2000), 2008) << "the second TLB has the page";
  EXPECT_EQ(clock.load(Site::values, 0, 2000), 2004) << "and now the first";
}

// The last 64 words that were stored to are known by their address.
TEST(OverlappedClock, AnUpdateIsForwardedToItsOwnAddress) {
  const Machine machine = plenty();
  Hierarchy hierarchy(machine, 0);
  OverlappedClock clock(hierarchy, machine);
  for (const std::uint64_t address : {20, 24, 20 + 4 * 64}) clock.load(Site::buckets, address, 0);
  EXPECT_EQ(clock.store(Site::buckets, 20, 50), 51);
  EXPECT_EQ(clock.load(Site::buckets, 20, 0), 55);
  EXPECT_EQ(clock.load(Site::buckets, 20, 70), 71) << "it is there by then";
  EXPECT_EQ(clock.load(Site::buckets, 24, 0), 1);
  EXPECT_EQ(clock.load(Site::buckets, 20 + 4 * 64, 0), 1) << "the same place, another address";
  clock.store(Site::buckets, 20 + 4 * 64, 60);
  EXPECT_EQ(clock.load(Site::buckets, 20 + 4 * 64, 0), 65);
  EXPECT_EQ(clock.load(Site::buckets, 20, 0), 1) << "whose place it took";
}

// A store alone ends its input once there is room for it; an input begins a quarter after the one before, or
// when the one two before has ended.
TEST(OverlappedClock, AnInputBeginsWithinTheWindowAndEndsWithItsLoads) {
  Machine machine = plenty();
  machine.core.input_ns = 0.25;
  machine.core.window = 2;
  machine.core.stores = 1;
  Hierarchy hierarchy(machine, 0);
  OverlappedClock clock(hierarchy, machine);
  clock.store(Site::results, 0, 0);
  clock.next_input();
  EXPECT_EQ(clock.now(), 0);
  clock.next_input();
  EXPECT_EQ(clock.now(), 0.25) << "nothing was done but to begin";
  clock.next_input();
  EXPECT_EQ(clock.now(), 0.5);
  EXPECT_EQ(clock.load(Site::values, 8, 0), 1.75);
  clock.next_input();
  EXPECT_EQ(clock.now(), 1.75);
  clock.store(Site::results, 4, 3);
  clock.next_input();
  EXPECT_EQ(clock.now(), 100) << "the first store's line is under way until then";
  EXPECT_EQ(clock.load(Site::values, 8, 0), 2.75) << "from when on the last but one had ended";
}

}  // namespace
}  // namespace redbench::caches
