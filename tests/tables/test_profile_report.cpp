// The report of a profile: every count of a hand-made record in its own place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "src/simt/counters.hpp"
#include "src/tables/profile_report.hpp"
#include "tests/record_support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string no_source(const std::string&, int) { return ""; }

/// Words of the line that begins so, one space between them.
std::string row_of(const std::string& text, const std::string& start) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(start)) continue;
    std::string words;
    std::istringstream stream(line);
    for (std::string word; stream >> word;) words += (words.empty() ? "" : " ") + word;
    return words;
  }
  return "no line: " + start;
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

TEST(ProfileReport, EachCounterHasItsOwnPlace) {
  const Record record = profiled({different_counters()});
  const Json counters = record["launches"][0]["counters"];
  const auto of = [&](const std::string& name) { return std::to_string(counters[name].get<int>()); };
  const std::string text = profile_report(record, 5, no_source);
  EXPECT_THAT(text, HasSubstr("launch 0: tree, 12 blocks of 256 threads, 1024 bytes of shared memory each\n"
                              "occupancy 100 %: 8 blocks on a multiprocessor, limited by warps\n"));
  EXPECT_EQ(row_of(text, "access"), "access requests each sectors ideal lines wavefronts conflicts address")
      << "the last line of the names";
  for (const char* kind : {"load", "store", "atomic"}) {
    const std::string global = std::string("global_") + kind, shared = std::string("shared_") + kind;
    const auto degree = [&](const std::string& name) {
      if (!name.ends_with("atomic")) return std::string();
      return fmt::format(" {:.3f}",
                         double(counters[name + "_degree"]) / double(counters[name + "_requests"]));
    };
    EXPECT_EQ(
        row_of(text, std::string("global ") + kind),
        fmt::format("global {} {} 8.000 {} {} {}{}", kind, of(global + "_requests"), of(global + "_sectors"),
                    of(global + "_sectors_ideal"), of(global + "_cache_lines"), degree(global)));
    EXPECT_EQ(row_of(text, std::string("shared ") + kind),
              fmt::format("shared {} {} 8.000 {} {}{}", kind, of(shared + "_requests"),
                          of(shared + "_wavefronts"), of(shared + "_conflicts"), degree(shared)));
  }
  EXPECT_THAT(
      text,
      HasSubstr(fmt::format(
          "{} branches of warps, {:.1f} % divergent, {:.4f} % around more than a few accesses; {:.3f} "
          "of 32 lanes active in a basic block\n{} block barriers, {} named barriers, {} warp barriers, "
          "{} exchanges within a warp, counted by warp\n",
          of("branches"), 100 * counters["divergent_branches"].get<double>() / double(counters["branches"]),
          100 *
              (counters["divergent_branches"].get<double>() -
               counters["predicable_divergent_branches"].get<double>()) /
              double(counters["branches"]),
          double(counters["warp_basic_block_lanes"]) / double(counters["warp_basic_blocks"]),
          of("block_barriers"), of("named_barriers"), of("warp_barriers"), of("warp_exchanges"))));
}

TEST(ProfileReport, WhatIsNoneOrNotCountedIsLeftOut) {
  const std::string text = profile_report(
      profiled({{{"shared_load_requests", 4}, {"shared_load_lanes", 128}, {"shared_load_conflicts", 0}},
                {{"shared_load_requests", 5},
                 {"shared_load_lanes", 50},
                 {"shared_load_conflicts", nullptr},
                 {"branches", nullptr}}}),
      5, no_source);
  EXPECT_EQ(row_of(text, "shared load"), "shared load 4 32.00 0") << "without conflicts is to be seen";
  EXPECT_EQ(row_of(text.substr(text.find("launch 1")), "shared load"), "shared load 5 10.00")
      << "not counted";
  EXPECT_THAT(text, Not(HasSubstr("global load")));
  EXPECT_THAT(text, HasSubstr("0 branches of warps;"));
  EXPECT_THAT(text.substr(text.find("launch 1")), Not(HasSubstr("branches of warps")));
  EXPECT_THAT(text, Not(HasSubstr("barriers")));
  EXPECT_EQ(profile_report(record_of("reduce/a"), 5, no_source), "");
}

/// A line of which one counter is not 0.
Json line(int number, const std::string& counter, int count) {
  return {{"file", "k.cu"}, {"line", number}, {counter, count}};
}

TEST(ProfileReport, LinesAreThoseOfTheDearestLaunchByTheirCost) {
  Record record = profiled({{{"global_load_sectors", 10}},
                            {{"global_load_sectors", 40}, {"shared_load_wavefronts", 60}},
                            {{"shared_store_wavefronts", 99}}});
  record["launches"][0]["lines"] = Json::array({line(77, "global_load_sectors", 10)});
  record["launches"][1]["lines"] =
      Json::array({line(1, "divergent_branches", 3), line(2, "global_load_sectors", 40),
                   line(3, "shared_load_wavefronts", 50), line(4, "shared_load_wavefronts", 10),
                   line(5, "warp_barriers", 1000), line(0, "divergent_branches", 9)});
  const auto source = [](const std::string& file, int number) {
    return file + " at " + std::to_string(number);
  };
  const std::string text = profile_report(record, 5, source);
  const std::string lines = text.substr(text.find("lines of launch"));
  EXPECT_THAT(lines, HasSubstr("lines of launch 1, the dearest\n"));
  std::vector<std::size_t> at;
  for (const char* start : {"k.cu:3", "k.cu:2", "k.cu:4", "an unknown line", "k.cu:1"})
    at.push_back(lines.find(start));
  EXPECT_TRUE(std::ranges::is_sorted(at)) << lines;
  EXPECT_LT(at.back(), lines.size());
  EXPECT_EQ(row_of(lines, "k.cu:3"), "k.cu:3 50.0 % 50 k.cu at 3");
  EXPECT_EQ(row_of(lines, "k.cu:2"), "k.cu:2 40.0 % 40 k.cu at 2");
  EXPECT_THAT(lines, Not(HasSubstr("k.cu:5"))) << "costs no memory and does not diverge";
  const std::string few = profile_report(record, 2, source);
  EXPECT_THAT(few, HasSubstr("k.cu:2"));
  EXPECT_THAT(few, Not(HasSubstr("k.cu:4")));
}

TEST(ProfileReport, LinesThatCostAlikeStandInTheirOrder) {
  Record record = profiled({{{"global_load_sectors", 50}}});
  record["launches"][0]["lines"] =
      Json::array({line(1, "divergent_branches", 3), line(2, "global_load_sectors", 10),
                   line(3, "shared_load_wavefronts", 10), line(4, "divergent_branches", 3),
                   line(5, "global_load_sectors", 10), line(6, "global_load_sectors", 20)});
  record["launches"][0]["lines"][3]["branches"] = 8;
  const std::string text = profile_report(record, 6, no_source);
  EXPECT_EQ(text.substr(text.find("lines of launch")),
            "lines of launch 0, the dearest\n"
            "                lanes                                         divergent\n"
            "line      cost   each  sectors  ideal  wavefronts  conflicts          %  source\n"
            "------  ------  -----  -------  -----  ----------  ---------  ---------  ------\n"
            "k.cu:6  40.0 %              20\n"
            "k.cu:2  20.0 %              10\n"
            "k.cu:3  20.0 %                                 10\n"
            "k.cu:5  20.0 %              10\n"
            "k.cu:1   0.0 %\n"
            "k.cu:4   0.0 %                                                    37.50\n");
}

TEST(ProfileReport, LanesThatTakeTurnsAtAnAtomicAreCost) {
  Record record = profiled({{{"global_atomic_degree", 50}, {"shared_atomic_degree", 30}}});
  Json one = line(8, "global_atomic_degree", 14);
  one["shared_atomic_degree"] = 6;
  record["launches"][0]["lines"] = Json::array({one});
  EXPECT_EQ(row_of(profile_report(record, 5, no_source), "k.cu:8"), "k.cu:8 25.0 %") << "20 of 80";
}

TEST(ProfileReport, ALineHasItsOwnCounts) {
  Record record = profiled({{{"global_load_sectors", 200}}});
  Json one = line(8, "global_load_sectors", 100);
  one.update({{"global_load_sectors_ideal", 25},
              {"global_load_requests", 10},
              {"global_load_lanes", 320},
              {"shared_load_wavefronts", 60},
              {"shared_load_conflicts", 30},
              {"divergent_branches", 5},
              {"branches", 20}});
  record["launches"][0]["lines"] = Json::array({one});
  EXPECT_EQ(row_of(profile_report(record, 5, no_source), "k.cu:8"), "k.cu:8 80.0 % 32.00 100 25 60 30 25.00");
}

TEST(ProfileReport, ItsTablesHaveNumbersOnTheRight) {
  Record record = profiled({{{"global_load_sectors", 150},
                             {"global_load_requests", 12},
                             {"global_load_lanes", 300},
                             {"shared_store_wavefronts", 50}},
                            {{"global_load_sectors", 200}}});
  for (Json& launch : record["launches"]) launch["occupancy"] = 0.75;
  Json one = line(8, "global_load_sectors", 100), two = line(1234, "divergent_branches", 3);
  one.update({{"global_load_sectors_ideal", 25},
              {"global_load_requests", 10},
              {"global_load_lanes", 320},
              {"shared_load_wavefronts", 60},
              {"shared_load_conflicts", 30}});
  two["branches"] = 16;
  record["launches"][0]["lines"] = Json::array({two, one});
  record["launches"][1]["lines"] = Json::array({line(99, "global_load_sectors", 200)});
  const auto source = [](const std::string&, int number) {
    return number == 8 ? "x += y;" : "if (so) go();";
  };
  EXPECT_EQ(profile_report(record, 5, source),
            "launch 0: tree, 12 blocks of 256 threads, 1024 bytes of shared memory each\n"
            "occupancy 75 %: 8 blocks on a multiprocessor, limited by warps\n"
            "                       lanes                  cache                            same\n"
            "access       requests   each  sectors  ideal  lines  wavefronts  conflicts  address\n"
            "-----------  --------  -----  -------  -----  -----  ----------  ---------  -------\n"
            "global load        12  25.00      150\n"
            "0 branches of warps;  of 32 lanes active in a basic block\n"
            "\n"
            "launch 1: tree, 12 blocks of 256 threads, 1024 bytes of shared memory each\n"
            "occupancy 75 %: 8 blocks on a multiprocessor, limited by warps\n"
            "                  lanes                  cache                            same\n"
            "access  requests   each  sectors  ideal  lines  wavefronts  conflicts  address\n"
            "------  --------  -----  -------  -----  -----  ----------  ---------  -------\n"
            "0 branches of warps;  of 32 lanes active in a basic block\n"
            "\n"
            "lines of launch 0, the dearest\n"
            "                   lanes                                         divergent\n"
            "line         cost   each  sectors  ideal  wavefronts  conflicts          %  source\n"
            "---------  ------  -----  -------  -----  ----------  ---------  ---------  -------------\n"
            "k.cu:8     80.0 %  32.00      100     25          60         30             x += y;\n"
            "k.cu:1234   0.0 %                                                    18.75  if (so) go();\n")
      << "of two launches that cost alike the first";
}

}  // namespace
}  // namespace redbench
