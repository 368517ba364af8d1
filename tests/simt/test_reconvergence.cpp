// Where the modelled GPU brings the lanes of a warp together again, by what is counted: lanes that go a step
// together make one request.
#include <algorithm>

#include "src/simt/counters.hpp"
#include "tests/simt_support.hpp"

namespace redbench {
namespace {

/// Counters of one launch of a test kernel by one warp.
Counters counted(const std::string& kernel, const std::vector<int>& in) {
  const auto device = modelled();
  const std::vector<LaunchCounters> launches =
      device->profiler()->count({}, [&] { run_kernel(*device, kernel, {.threads = 32}, in, 160); });
  EXPECT_EQ(launches.size(), 1u);
  return launches.at(0).total;
}

void expect_stores(const Counters& counters, unsigned requests, unsigned lanes) {
  EXPECT_EQ(counters[Counter::global_store_requests], requests);
  EXPECT_EQ(counters[Counter::global_store_lanes], lanes);
}

/// t % 4 for each lane t.
std::vector<int> up_to_three() {
  std::vector<int> turns = iota(32);
  for (int& count : turns) count %= 4;
  return turns;
}

// One branch, at which the warp parts, whichever lane goes the other way; the store that follows is of all
// lanes again.
TEST(Reconvergence, AGuardIsOneBranchForAnyLane) {
  for (const int lane : {0, 15, 31}) {
    const Counters counters = counted("one_lane_guard", {lane});
    EXPECT_EQ(counters[Counter::branches], 1u) << lane;
    EXPECT_EQ(counters[Counter::divergent_branches], 1u) << lane;
    EXPECT_EQ(counters[Counter::predicable_divergent_branches], 1u) << lane;
    expect_stores(counters, 2, 33);
  }
}

// Lanes leave a loop after 1 to 32 turns, the first lane or the last one first: at 32 branches, of which the
// last finds one lane alone.
TEST(Reconvergence, LanesThatLeaveALoopPartOnceATurn) {
  for (const bool backwards : {false, true}) {
    std::vector<int> turns = iota(32, 1);
    if (backwards) std::reverse(turns.begin(), turns.end());
    const Counters counters = counted("uneven_loop", turns);
    EXPECT_EQ(counters[Counter::branches], 32u) << backwards;
    EXPECT_EQ(counters[Counter::divergent_branches], 31u) << backwards;
    EXPECT_EQ(counters[Counter::predicable_divergent_branches], 0u) << backwards;
    expect_stores(counters, 33, 32 * 33 / 2 + 32);
  }
}

// 3 turns of 16 lanes each way, the load of in[t] before each and at the end, and the store behind the loop.
TEST(Reconvergence, WaysThatJumpBackMeetInTheNextTurn) {
  const Counters counters = counted("two_ways_back", std::vector<int>(32, 3));
  EXPECT_EQ(counters[Counter::global_load_requests], 4u);
  expect_stores(counters, 3 * 2 + 1, 3 * 32 + 32);
}

// 24, 16 and 8 lanes take a first, second and third turn. In turn i the lanes of t % 4 >= i go, the even ones
// one way: both ways in the first two, one in the third. Those behind the loop wait for all.
TEST(Reconvergence, LanesBehindALoopWaitForThoseInIt) {
  const Counters counters = counted("two_ways_back", up_to_three());
  EXPECT_EQ(counters[Counter::global_load_requests], 4u);
  EXPECT_EQ(counters[Counter::global_load_lanes], 32u + 24 + 16 + 8);
  expect_stores(counters, 2 + 2 + 1 + 1, 24 + 16 + 8 + 32);
}

// 4 stores at the start of a turn, of 32, 24, 16 and 8 lanes, and the ways as before. The end of the loop is
// the only way out, so the lanes that come there wait before the store with which they leave.
TEST(Reconvergence, LanesThatBreakWaitBehindTheLoop) {
  expect_stores(counted("break_between", up_to_three()), 4 + (2 + 2 + 1) + 1 + 1, 80 + 48 + 32 + 32);
}

// Inner loops of 1, 2 and 3 turns, 6, 3 and 2 of them. The six outer turns have 3, 3, 2, 1, 1 and 1 inner
// ones, and each a store at its end.
TEST(Reconvergence, ALoopAtTheStartOfALoopIsTheInnerOne) {
  std::vector<int> turns = iota(32);
  for (int& count : turns) count = 1 + count % 3;
  expect_stores(counted("loop_at_the_start_of_a_loop", turns), 3 + 3 + 2 + 1 + 1 + 1 + 6,
                32 * 6 + 11 * 6 + 11 * 3 + 10 * 2);
}

// In each of 4 turns 4 lanes return, at one store; the others go both ways: 28, 24, 20 and 16, which have a
// store behind the loop.
TEST(Reconvergence, LanesThatReturnAreNotWaitedFor) {
  std::vector<int> turns = iota(32);
  for (int& turn : turns) turn /= 4;
  const Counters counters = counted("early_return", turns);
  EXPECT_EQ(counters[Counter::global_load_requests], 4u);
  EXPECT_EQ(counters[Counter::global_load_lanes], 32u + 28 + 24 + 20);
  expect_stores(counters, 4 + 4 * 2 + 1, 4 * 4 + 28 + 24 + 20 + 16 + 16);
}

// The lanes that have not returned meet those that went the other way.
TEST(Reconvergence, AReturnInABranchKeepsNobodyApart) {
  expect_stores(counted("return_in_a_branch", {3}), 3, 1 + 15 + 31);
}

// 8 lanes by the first test, of the others 4 by the second one; they meet behind the store. As the immediate
// post-dominator of the first test lies behind the store, it is made twice.
TEST(Reconvergence, ASecondWayToTheSamePlaceIsGoneByItself) {
  std::vector<int> chosen(32);
  for (int t = 12; t < 16; ++t) chosen[t] = 1;
  const Counters counters = counted("either_of_two", chosen);
  EXPECT_EQ(counters[Counter::global_load_lanes], 24u);
  expect_stores(counters, 2 + 1, 12 + 32);
}

}  // namespace
}  // namespace redbench
