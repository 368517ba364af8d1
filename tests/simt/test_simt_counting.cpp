// What the counters say of single accesses and branches, on kernels of a few lines.
#include <filesystem>

#include "src/simt/counters.hpp"
#include "tests/simt_support.hpp"

namespace redbench {
namespace {

LaunchCounters counted(const std::string& kernel, const std::vector<int>& in, int threads = 32) {
  const auto device = modelled();
  const std::vector<LaunchCounters> launches =
      device->profiler()->count({}, [&] { run_kernel(*device, kernel, {.threads = threads}, in, 160); });
  EXPECT_EQ(launches.size(), 1u);
  return launches.at(0);
}

/// Branches, those of them at which a warp parts, and those of these that a compiler may predicate.
void expect_branches(const Counters& counters, unsigned branches, unsigned divergent, unsigned predicable) {
  EXPECT_EQ(counters[Counter::branches], branches);
  EXPECT_EQ(counters[Counter::divergent_branches], divergent);
  EXPECT_EQ(counters[Counter::predicable_divergent_branches], predicable);
}

// One request of 32 lanes, all on one address; it is neither a load nor a store.
TEST(SimtCounting, ACompareAndSwapIsAnAtomic) {
  const Counters counters = counted("compares_and_swaps", {0}).total;
  EXPECT_EQ(counters[Counter::global_atomic_requests], 1u);
  EXPECT_EQ(counters[Counter::global_atomic_lanes], 32u);
  EXPECT_EQ(counters[Counter::global_atomic_degree], 32u);
  EXPECT_EQ(counters[Counter::global_load_requests], 0u);
  EXPECT_EQ(counters[Counter::global_store_requests], 0u);
}

// A store, one request of 32 lanes on one address, and a load: of the atomic one alone the lanes wait for
// each other.
TEST(SimtCounting, LanesOnOneSharedWordAreCountedForAtomicsAlone) {
  const Counters counters = counted("race_atomic", {0}).total;
  EXPECT_EQ(counters[Counter::shared_store_requests], 1u);
  EXPECT_EQ(counters[Counter::shared_atomic_requests], 1u);
  EXPECT_EQ(counters[Counter::shared_load_requests], 1u);
  EXPECT_EQ(counters[Counter::shared_atomic_degree], 32u);
}

// Lane 8 of the second warp stores by itself: both warps branch, and what is skipped is no choice between
// values, though the first warp made no access there.
TEST(SimtCounting, WhatALaterWarpDoesIsOfItsOwnBranch) {
  expect_branches(counted("one_lane_guard", {40}, 64).total, 2, 1, 1);
}

TEST(SimtCounting, FourAccessesMayBePredicatedAndFiveMayNot) {
  expect_branches(counted("guard_of_four_stores", {7}).total, 1, 1, 1);
  expect_branches(counted("guard_of_five_stores", {7}).total, 1, 1, 0);
}

// 7 choices and the store behind them are 8 basic blocks, the most that are looked at; the choices themselves
// are no branches.
TEST(SimtCounting, AShortWayHasEightBasicBlocks) {
  std::vector<int> bits(32, 0);
  for (int t = 0; t < 32; t += 2) bits[t] = 0xff;
  expect_branches(counted("guard_of_seven_choices", bits).total, 1, 1, 1);
  expect_branches(counted("guard_of_eight_choices", bits).total, 1, 1, 0);
}

// Where no lane is in[0] each basic block is of all lanes; otherwise there is one more, of one lane.
TEST(SimtCounting, BasicBlocksHaveTheLanesThatAreInThem) {
  const Counters all = counted("one_lane_guard", {99}).total, one = counted("one_lane_guard", {7}).total;
  EXPECT_GT(all[Counter::warp_basic_blocks], 0u);
  EXPECT_EQ(all[Counter::warp_basic_block_lanes], 32 * all[Counter::warp_basic_blocks]);
  EXPECT_EQ(one[Counter::warp_basic_blocks], all[Counter::warp_basic_blocks] + 1);
  EXPECT_EQ(one[Counter::warp_basic_block_lanes], all[Counter::warp_basic_block_lanes] + 1);
}

// std::swap is on a line of the standard library, outside the repository: its path is told whole.
TEST(SimtCounting, AFileOutsideTheRepositoryKeepsItsWholePath) {
  const LaunchCounters swapped = counted("swaps_words", {0}, 1);
  EXPECT_EQ(swapped.total[Counter::global_store_requests], 2u);
  unsigned stores = 0;
  for (const auto& line : swapped.lines) {
    if (line.file.starts_with("tests/") || line.file.starts_with("kernels/")) continue;
    EXPECT_TRUE(line.file.starts_with("/") && std::filesystem::exists(line.file)) << line.file;
    stores += unsigned(line.counters[Counter::global_store_requests]);
  }
  EXPECT_EQ(stores, 2u);
}

}  // namespace
}  // namespace redbench
