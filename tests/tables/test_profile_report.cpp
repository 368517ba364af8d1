// The report of a profile: every count in its own place, and the source lines that cost most.
#include "src/tables/profile_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/simt/counters.hpp"
#include "tests/golden.hpp"
#include "tests/record_support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string report(const Record& record, std::size_t lines = 5) {
  return profile_report(record, lines, [](const std::string&, int number) {
    return "the text of line " + std::to_string(number);
  });
}

/// Counter i has 1000 + 10 i, so that no two are alike; lanes are eight times their requests.
Json different_counters() {
  Json counters = Json::object();
  for (std::size_t i = 0; i < counter_count; ++i) counters[std::string(counter_names[i])] = 1000 + 10 * i;
  const Json all = counters;
  for (const auto& [name, value] : all.items())
    if (const std::size_t at = name.find("_requests"); at != name.npos)
      counters[name.substr(0, at) + "_lanes"] = 8 * value.get<int>();
  return counters;
}

Record profiled(const std::vector<Json>& launches) {
  Record record = record_of("reduce/a");
  record["counters"] = different_counters();
  for (const Json& counters : launches) {
    Json launch = launch_of(12);
    launch["counters"] = counters;
    launch["lines"] = Json::array();
    record["launches"].push_back(launch);
  }
  return completed(record);
}

/// A line of which one counter is not 0.
Json line(int number, const std::string& counter, int count) {
  return {{"file", "k.cu"}, {"line", number}, {counter, count}};
}

// Launch 1 costs 100: 40 sectors, 60 wavefronts; launch 2 costs 99.
TEST(ProfileReport, LaunchesAndTheLinesOfTheDearest) {
  Record record = profiled({different_counters()});
  std::string text = "== every counter\n" + report(record);
  record = profiled({{{"global_load_sectors", 10}},
                     {{"global_load_sectors", 40}, {"shared_load_wavefronts", 60}, {"branches", nullptr}},
                     {{"shared_store_wavefronts", 99}}});
  record["launches"][0]["lines"] = Json::array({line(77, "global_load_sectors", 10)});
  Json whole = line(3, "shared_load_wavefronts", 50);
  whole.update({{"global_load_requests", 10}, {"global_load_lanes", 320}, {"shared_load_conflicts", 30}});
  whole.update({{"global_load_sectors_ideal", 25}, {"divergent_branches", 5}, {"branches", 20}});
  record["launches"][1]["lines"] =
      Json::array({line(1, "divergent_branches", 3), line(2, "global_load_sectors", 40), whole,
                   line(4, "shared_load_wavefronts", 10), line(5, "warp_barriers", 1000),
                   line(6, "global_load_sectors", 10), line(0, "divergent_branches", 9)});
  text += "\n== lines by their cost\n" + report(record, 7);
  expect_golden("tables/profile.txt", text);
  EXPECT_THAT(report(record, 2), HasSubstr("k.cu:2"));
  EXPECT_THAT(report(record, 2), Not(HasSubstr("k.cu:4")));
}

TEST(ProfileReport, WhatWasNotCountedIsNotZero) {
  const auto of = [](const Json& conflicts) {
    return report(profiled(
        {{{"shared_load_requests", 4}, {"shared_load_lanes", 128}, {"shared_load_conflicts", conflicts}}}));
  };
  EXPECT_THAT(of(0),
              HasSubstr("shared load         4  32.00                                             0\n"));
  EXPECT_THAT(of(nullptr), HasSubstr("shared load         4  32.00\n"));
  EXPECT_EQ(report(record_of("reduce/a")), "") << "nothing was counted";
}

TEST(ProfileReport, LanesThatTakeTurnsAtAnAtomicAreCost) {
  Record record = profiled({{{"global_atomic_degree", 50}, {"shared_atomic_degree", 30}}});
  Json one = line(8, "global_atomic_degree", 14);
  one["shared_atomic_degree"] = 6;
  record["launches"][0]["lines"] = Json::array({one});
  EXPECT_THAT(report(record), HasSubstr("k.cu:8  25.0 %")) << "20 of 80";
}

}  // namespace
}  // namespace redbench
