// How long a stream of accesses takes, one after the other or overlapping: each time by hand.
#include "src/cachesim/clock.hpp"

#include <gtest/gtest.h>

#include "tests/cachesim/machines.hpp"

namespace redbench::cachesim {
namespace {

TEST(SerialClock, AddsUpTheTimeOfTheLevelThatHasEachLine) {
  const Machine machine = machine_of({1, 4});
  Hierarchy hierarchy(machine, 0);
  SerialClock clock(hierarchy);
  EXPECT_EQ(clock.load(Site::values, 0, 0), 100);
  EXPECT_EQ(clock.store(Site::values, 4, 0), 101);
  EXPECT_EQ(clock.load(Site::values, 64, 0), 201);
  EXPECT_EQ(clock.load(Site::values, 0, 0), 211) << "L2 has it";
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

// Two lines at a time, in whichever place is free first; a line goes over the bus every 2 ns.
TEST(OverlappedClock, MissesOverlapAsFarAsThereArePlaces) {
  Machine machine = plenty();
  machine.core.misses = 2;
  Hierarchy hierarchy(machine, 0);
  OverlappedClock clock(hierarchy, machine);
  for (const auto& [known, end] : {std::pair(0, 100), {50, 150}, {0, 200}, {0, 250}, {0, 300}})
    EXPECT_EQ(clock.load(Site::values, std::uint64_t(end) * line, known), end);
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
}  // namespace redbench::cachesim
