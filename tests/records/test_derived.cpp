// Numbers that follow from counters and times: each ratio derived by hand.
#include "src/records/derived.hpp"

#include <gtest/gtest.h>

#include "tests/record_support.hpp"

namespace redbench {
namespace {

TEST(Derived, WhatFollowsFromCounters) {
  Json counters{{"global_load_sectors", 8},
                {"global_store_sectors", 3},
                {"global_atomic_sectors", 1},  // 8 + 3 + 1 = 12 sectors
                {"global_load_sectors_ideal", 4},
                {"global_store_sectors_ideal", 3},
                {"global_atomic_sectors_ideal", 1},  // 12 / 8
                {"shared_load_wavefronts", 20},
                {"shared_store_wavefronts", 10},
                {"shared_atomic_wavefronts", 4},
                {"shared_load_conflicts", 5},
                {"shared_store_conflicts", 2},
                {"shared_atomic_conflicts", 1},
                {"warp_basic_blocks", 10},
                {"warp_basic_block_lanes", 265},
                {"branches", 40},
                {"divergent_branches", 3},             // 3 / 40 = 7.5 %
                {"predicable_divergent_branches", 1},  // 2 / 40
                {"block_barriers", 16},
                {"named_barriers", 2},
                {"warp_barriers", 100},  // of a warp alone: no barrier of a block
                {"global_load_requests", 4},
                {"global_load_lanes", 100},
                {"shared_store_requests", 4},
                {"shared_store_lanes", 20},  // 120 lanes in 8 requests
                {"global_atomic_requests", 2},
                {"global_atomic_lanes", 64},
                {"global_atomic_degree", 7}};
  add_derived_counts(counters);
  for (const auto& [name, value] : {std::pair("sectors", Json(12)),
                                    {"sectors_ideal", 8},
                                    {"sectors_per_ideal", 1.5},
                                    {"wavefronts", 34},
                                    {"conflicts", 8},
                                    {"active_lanes", 26.5},
                                    {"divergent_percent", 7.5},
                                    {"unpredicable_percent", 5.0},
                                    {"barriers", 18},
                                    {"lanes_per_request", 18.4},
                                    {"shared_store_lanes_per_request", 5.0},
                                    {"global_atomic_degree_per_request", 3.5},
                                    {"shared_load_lanes_per_request", nullptr}})
    EXPECT_EQ(counters[name], value) << name;
}

// A GPU's tool counts less than the model: of what is not known nothing follows, of what is missing 0.
TEST(Derived, AnUnknownCounterMakesWhatFollowsUnknown) {
  const Json known{{"branches", 40}, {"divergent_branches", 6}, {"predicable_divergent_branches", 2}};
  const auto percents = [&](const char* changed, const Json& value) {
    Json counters = known;
    if (*changed) counters[changed] = value;
    add_derived_counts(counters);
    return std::pair(counters["divergent_percent"], counters["unpredicable_percent"]);
  };
  const Json null;
  EXPECT_EQ(percents("", 0), std::pair(Json(15.0), Json(10.0)));
  EXPECT_EQ(percents("branches", null), std::pair(null, null));
  EXPECT_EQ(percents("branches", 0), std::pair(null, null));
  EXPECT_EQ(percents("divergent_branches", null), std::pair(null, null));
  EXPECT_EQ(percents("predicable_divergent_branches", null), std::pair(Json(15.0), null));
  Json some{{"block_barriers", 5}};
  add_derived_counts(some);
  EXPECT_EQ(some["barriers"], 5);
  some = {{"block_barriers", 5}, {"named_barriers", nullptr}};
  add_derived_counts(some);
  EXPECT_EQ(some["barriers"], null);
}

TEST(Derived, LaunchesHaveTheirOwnAndStoredNumbersStay) {
  Record record = record_of("reduce/a");
  record["counters"] = {{"block_barriers", 5}, {"barriers", 777}};
  record["launches"] = {launch_of(1, 4000), launch_of(1, 0)};
  record["launches"][0]["counters"] = {{"block_barriers", 3}};
  record["launches"][0]["time_ns"] = 2000.0;
  record["launches"][1]["time_ns"] = 2000.0;
  const Record whole = completed(record);
  EXPECT_EQ(whole["counters"]["barriers"], 777);
  EXPECT_EQ(whole["launches"][0]["counters"]["barriers"], 3);
  EXPECT_EQ(whole["launches"][0]["read_gb_per_s"], 2.0);
  EXPECT_EQ(whole["launches"][1]["read_gb_per_s"], nullptr) << "it reads nothing";
  EXPECT_EQ(whole["launches"][1]["counters"], nullptr);
}

}  // namespace
}  // namespace redbench
