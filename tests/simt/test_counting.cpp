// Counts of small kernels, each of which follows by hand, and which branches are short.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "src/simt/counting.hpp"
#include "tests/simt_support.hpp"

namespace redbench::simt {
namespace {

using enum Counter;

Counters counted(const std::string& kernel, const std::vector<int>& in, const Grid& grid = {.threads = 32},
                 int outputs = 160) {
  const auto device = modelled();
  const std::vector<LaunchCounters> launches =
      device->profiler()->count({}, [&] { run_kernel(*device, kernel, grid, in, outputs); });
  EXPECT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches.at(0).kernel, kernel);
  return launches.at(0).total;
}

/// Compares those of `from` to `to`, of which all that are not named are 0.
void expect_counts(const Counters& counters, Counter from, Counter to,
                   const std::map<Counter, std::uint64_t>& expected) {
  for (auto i = std::size_t(from); i <= std::size_t(to); ++i) {
    const auto value = expected.find(Counter(i));
    EXPECT_EQ(counters.values[i], value == expected.end() ? 0 : value->second) << counter_names[i];
  }
}

// 32 warps of 1024 threads, whose words fill 4 sectors and one cache line each. What is read from shared
// memory lies backwards, which conflicts with nothing.
TEST(Counting, ABlockOfAllThreads) {
  const Counters counters = counted("reverse", iota(1024), {.threads = 1024}, 1024);
  expect_counts(counters, global_load_requests, shared_atomic_degree,
                {{global_load_requests, 32},
                 {global_load_lanes, 1024},
                 {global_load_sectors, 128},
                 {global_load_sectors_ideal, 128},
                 {global_load_cache_lines, 32},
                 {global_store_requests, 32},
                 {global_store_lanes, 1024},
                 {global_store_sectors, 128},
                 {global_store_sectors_ideal, 128},
                 {global_store_cache_lines, 32},
                 {shared_store_requests, 32},
                 {shared_store_lanes, 1024},
                 {shared_store_wavefronts, 32},
                 {shared_load_requests, 32},
                 {shared_load_lanes, 1024},
                 {shared_load_wavefronts, 32}});
  expect_counts(counters, branches, warp_exchanges, {{block_barriers, 32}});
}

// Of two static variables both are shared memory: 64 threads store a byte each of the first, thread 0 the
// last word of the second.
TEST(Counting, AllStaticVariablesAreShared) {
  const Counters counters = counted("shared_in_function", {0}, {.threads = 64}, 64);
  EXPECT_EQ(counters[shared_store_requests], 3u);
  EXPECT_EQ(counters[shared_store_lanes], 65u);
  EXPECT_EQ(counters[shared_load_requests], 4u);
  EXPECT_EQ(counters[shared_load_lanes], 128u);
}

// Each lane copies 12 bytes: as words, of which those 0, 4 and 8 bytes behind a lane's start are a request
// each. The first touches bytes 0 to 375, the others 4 to 379 and 8 to 383: 12 sectors and 3 cache lines
// each.
TEST(Counting, ACopyIsMadeOfPieces) {
  const Counters counters = counted("copies_three_words", std::vector<int>(96, 1));
  expect_counts(counters, global_load_requests, global_load_cache_lines,
                {{global_load_requests, 3},
                 {global_load_lanes, 96},
                 {global_load_sectors, 36},
                 {global_load_sectors_ideal, 12},
                 {global_load_cache_lines, 9}});
}

// 64 threads add to one word: all lanes of a warp wait for each other, and take one wavefront.
TEST(Counting, AtomicsOnOneWord) {
  expect_counts(counted("race_atomic", {0}, {.threads = 64}, 64), shared_atomic_requests,
                shared_atomic_degree,
                {{shared_atomic_requests, 2},
                 {shared_atomic_lanes, 64},
                 {shared_atomic_wavefronts, 2},
                 {shared_atomic_degree, 64}});
}

// Over two rounds the producers arrive twice and the consumers wait twice. A half-warp has four shuffles. The
// halves of a warp that meet by themselves do so in one step of the warp.
TEST(Counting, EachMeetingIsOfItsKind) {
  expect_counts(counted("producer_consumer", iota(64), {.threads = 64}), block_barriers, warp_exchanges,
                {{named_barriers, 4}});
  expect_counts(counted("half_warp", {0}), block_barriers, warp_exchanges, {{warp_exchanges, 4}});
  expect_counts(counted("race_halves", {0}), block_barriers, warp_exchanges,
                {{block_barriers, 1}, {warp_barriers, 1}});
}

/// Basic blocks 0, 1, ...
const char places[8] = {};

/// A basic block from which 7 exits were seen, 5 of them divergent.
Counted::BasicBlock to(const std::vector<int>& successors, double work_per_entry = 0) {
  Counted::BasicBlock block;
  for (const int successor : successors) block.add_successor(places + successor);
  block.exits = 7;
  block.divergent = 5;
  block.entered = 10;
  block.work = std::uint64_t(std::llround(10 * work_per_entry));
  return block;
}

TEST(Branches, AreNoChoicesBetweenValuesAndShortOnesMayBePredicated) {
  struct {
    std::map<int, Counted::BasicBlock> blocks;
    std::uint64_t branches, divergent, predicable;
  } const cases[] = {// A choice between values: around a basic block that only computes, and between two.
                     {{{0, to({1, 3})}, {1, to({3})}, {3, to({})}}, 0, 0, 0},
                     {{{0, to({1, 2})}, {1, to({3})}, {2, to({3})}, {3, to({})}}, 0, 0, 0},
                     // Two ways that lead to different places, or of which one goes on in two ways.
                     {{{0, to({1, 2})}, {1, to({3})}, {2, to({4})}, {3, to({})}, {4, to({})}}, 7, 5, 0},
                     {{{0, to({1, 3})}, {1, to({3, 4})}, {3, to({})}, {4, to({})}}, 14, 10, 0},
                     // Three ways are no choice, though all come to the same place.
                     {{{0, to({1, 2, 3})}, {1, to({4})}, {2, to({4})}, {3, to({4})}, {4, to({})}}, 7, 5, 0},
                     // A way with work for 4 accesses is short, in one part or in two; with more it is not.
                     {{{0, to({1, 3})}, {1, to({3}, 4)}, {3, to({})}}, 7, 5, 5},
                     {{{0, to({1, 3})}, {1, to({2}, 1)}, {2, to({3}, 3)}, {3, to({})}}, 7, 5, 5},
                     {{{0, to({1, 3})}, {1, to({3}, 4.1)}, {3, to({})}}, 7, 5, 0},
                     {{{0, to({1, 3})}, {1, to({2}, 1)}, {2, to({3}, 3.1)}, {3, to({})}}, 7, 5, 0},
                     // Of three ways none is short, and none of which nothing is known.
                     {{{0, to({1, 3, 2})}, {1, to({3}, 1)}, {2, to({3}, 1)}, {3, to({})}}, 7, 5, 0},
                     {{{0, to({1, 3})}, {3, to({5}, 1)}}, 7, 5, 0}};
  for (const auto& one : cases) {
    Counted counted;
    for (const auto& [place, block] : one.blocks) counted.basic_blocks[places + place] = block;
    const Counters total = counted.by_line({}).total;
    const auto number = &one - cases;
    EXPECT_EQ(total[branches], one.branches) << number;
    EXPECT_EQ(total[divergent_branches], one.divergent) << number;
    EXPECT_EQ(total[predicable_divergent_branches], one.predicable) << number;
  }
}

/// Branches, those of them at which a warp parts, and those of these that a compiler may predicate.
void expect_branches(const Counters& counters, unsigned all, unsigned divergent, unsigned predicable) {
  EXPECT_EQ(counters[branches], all);
  EXPECT_EQ(counters[divergent_branches], divergent);
  EXPECT_EQ(counters[predicable_divergent_branches], predicable);
}

// Lane 8 of the second warp stores by itself: both warps branch, and what is skipped is no choice between
// values, though the first warp made no access there. A second block begins anew.
TEST(Counting, WhatALaterWarpDoesIsOfItsOwnBranch) {
  expect_branches(counted("one_lane_guard", {40}, {.threads = 64}), 2, 1, 1);
  expect_branches(counted("one_lane_guard", {40}, {.blocks = 2, .threads = 64}), 4, 2, 2);
}

TEST(Counting, FourAccessesMayBePredicatedAndFiveMayNot) {
  expect_branches(counted("guard_of_four_stores", {7}), 1, 1, 1);
  expect_branches(counted("guard_of_five_stores", {7}), 1, 1, 0);
}

// 7 choices and the store behind them are 8 basic blocks, the most that are looked at; the choices themselves
// are no branches.
TEST(Counting, AShortWayHasEightBasicBlocks) {
  std::vector<int> bits(32, 0);
  for (int t = 0; t < 32; t += 2) bits[t] = 0xff;
  expect_branches(counted("guard_of_seven_choices", bits), 1, 1, 1);
  expect_branches(counted("guard_of_eight_choices", bits), 1, 1, 0);
}

// Where no lane is in[0] each basic block is of all lanes; otherwise there is one more, of one lane.
TEST(Counting, BasicBlocksHaveTheLanesThatAreInThem) {
  const Counters all = counted("one_lane_guard", {99}), one = counted("one_lane_guard", {7});
  EXPECT_GT(all[warp_basic_blocks], 0u);
  EXPECT_EQ(all[warp_basic_block_lanes], 32 * all[warp_basic_blocks]);
  EXPECT_EQ(one[warp_basic_blocks], all[warp_basic_blocks] + 1);
  EXPECT_EQ(one[warp_basic_block_lanes], all[warp_basic_block_lanes] + 1);
}

// Where lanes meet again: those that go a step together make one request.

// One branch, at which the warp parts, whichever lane goes the other way.
TEST(Reconvergence, AGuardIsOneBranchForAnyLane) {
  for (const int lane : {0, 15, 31}) expect_branches(counted("one_lane_guard", {lane}), 1, 1, 1);
}

// Lanes leave a loop after 1 to 32 turns, the first lane or the last one first: at 32 branches, of which the
// last finds one lane alone.
TEST(Reconvergence, LanesThatLeaveALoopPartOnceATurn) {
  std::vector<int> turns = iota(32, 1);
  expect_branches(counted("uneven_loop", turns), 32, 31, 0);
  std::reverse(turns.begin(), turns.end());
  expect_branches(counted("uneven_loop", turns), 32, 31, 0);
}

TEST(Reconvergence, LanesThatMeetMakeOneRequest) {
  const auto each = [](int (*of_lane)(int)) {
    std::vector<int> all = iota(32);
    for (int& lane : all) lane = of_lane(lane);
    return all;
  };
  const std::vector<int> up_to_three = each([](int t) { return t % 4; });
  struct {
    const char* kernel;
    std::vector<int> in;
    std::pair<std::uint64_t, std::uint64_t> stores, loads = {0, 0};  // requests and lanes; 0: not compared
  } const cases[] = {
      // The store behind the guard is of all lanes again.
      {"one_lane_guard", {0}, {2, 33}},
      {"one_lane_guard", {31}, {2, 33}},
      {"uneven_loop", iota(32, 1), {33, 32 * 33 / 2 + 32}},
      // Ways that jump back meet in the next turn: 3 turns of 16 lanes each way, the load of in[t] before
      // each and at the end, and the store behind the loop.
      {"two_ways_back", std::vector<int>(32, 3), {3 * 2 + 1, 3 * 32 + 32}, {4, 4 * 32}},
      // 24, 16 and 8 lanes take a first, second and third turn. In turn i the lanes of t % 4 >= i go, the
      // even ones one way: both ways in the first two, one in the third. Those behind the loop wait for all.
      {"two_ways_back", up_to_three, {2 + 2 + 1 + 1, 24 + 16 + 8 + 32}, {4, 32 + 24 + 16 + 8}},
      // 4 stores at the start of a turn, of 32, 24, 16 and 8 lanes, and the ways as before. The end of the
      // loop is the only way out, so the lanes that come there wait before the store with which they leave.
      {"break_between", up_to_three, {4 + (2 + 2 + 1) + 1 + 1, 80 + 48 + 32 + 32}},
      // Inner loops of 1, 2 and 3 turns, 6, 3 and 2 of them. The six outer turns have 3, 3, 2, 1, 1 and 1
      // inner ones, and each a store at its end.
      {"loop_at_the_start_of_a_loop",
       each([](int t) { return 1 + t % 3; }),
       {3 + 3 + 2 + 1 + 1 + 1 + 6, 32 * 6 + 11 * 6 + 11 * 3 + 10 * 2}},
      // In each of 4 turns 4 lanes return, at one store; the others, which do not wait for them, go both
      // ways: 28, 24, 20 and 16, which have a store behind the loop.
      {"early_return",
       each([](int t) { return t / 4; }),
       {4 + 4 * 2 + 1, 4 * 4 + 28 + 24 + 20 + 16 + 16},
       {4, 32 + 28 + 24 + 20}},
      // The lanes that have not returned meet those that went the other way.
      {"return_in_a_branch", {3}, {3, 1 + 15 + 31}},
      // 8 lanes by the first test, of the others 4 by the second one; they meet behind the store. As the
      // immediate post-dominator of the first test lies behind the store, it is made twice.
      {"either_of_two", each([](int t) { return int(t / 4 == 3); }), {2 + 1, 12 + 32}, {1, 24}}};
  for (const auto& [kernel, in, stores, loads] : cases) {
    const Counters counters = counted(kernel, in);
    EXPECT_EQ(std::pair(counters[global_store_requests], counters[global_store_lanes]), stores) << kernel;
    if (loads.first == 0) continue;
    EXPECT_EQ(std::pair(counters[global_load_requests], counters[global_load_lanes]), loads) << kernel;
  }
}

}  // namespace
}  // namespace redbench::simt
