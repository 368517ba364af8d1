// Several processes' records of a case as one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/cell/forks.hpp"
#include "src/measure/stopwatch.hpp"
#include "tests/record_support.hpp"

namespace redbench {
namespace {

/// A fork's record, of 1000 bytes read and 4 written.
Record fork(std::vector<double> samples) {
  Record record = completed(record_of("reduce/harris3", 250));
  set_times(record, {std::move(samples)}, interval_error);
  record["error"] = 0;
  record["stopped"] = "precise";
  record["percent_of_ceiling"] = 50;
  record["above_ceiling"] = false;
  record["ceiling_read_gb_per_s"] = 10;
  return record;
}

std::vector<Record> five() { return {fork({14, 14, 14}), fork({10}), fork({11}), fork({13}), fork({12})}; }

TEST(Forks, TheHeadlineIsTheMedianOverTheForks) {
  const Record record = record_of_forks(five(), 100);
  EXPECT_EQ(record["time_ns"], 12) << "not 14, the median of all samples";
  EXPECT_EQ(record["forks"], 5);
  EXPECT_NEAR(record["time_low_ns"], 12 - 1.9632, 1e-4);
  EXPECT_NEAR(record["time_high_ns"], 12 + 1.9632, 1e-4);
  EXPECT_NEAR(record["noise_percent"], 100 * 1.9632 / 12, 1e-3);
  EXPECT_DOUBLE_EQ(record["bandwidth_gb_per_s"], 1004.0 / 12);
  EXPECT_DOUBLE_EQ(record["ns_per_input"], 12.0 / 250);
  EXPECT_EQ(record["samples_ns"], Json::parse("[[14,14,14],[10],[11],[13],[12]]"))
      << "in the order of the forks";
}

TEST(Forks, WhatDiffersBetweenForksIsTheirMedianOrTheWorst) {
  std::vector<Record> forks = five();
  forks[0]["error"] = 0.25;
  forks[1]["stopped"] = "max_samples";
  forks[2]["stopped"] = "timeout";
  for (int i = 0; i < 5; ++i) {
    forks[i]["percent_of_ceiling"] = 99 + i;
    forks[i]["ceiling_read_gb_per_s"] = 20 - i;
    forks[i]["clocks"] = {{"sm_mhz", 1000}, {"throttled_by", Json::array()}};
  }
  for (int i = 1; i < 5; ++i) {
    forks[i]["samples_repeated"] = i;
    forks[i]["samples_slow"] = 10 * i;
  }
  forks[3]["clocks"]["throttled_by"] = {"software power cap"};
  forks[4]["clocks"]["throttled_by"] = {"software power cap"};
  const Record record = record_of_forks(forks, 100);
  EXPECT_EQ(record["error"], 0.25);
  EXPECT_EQ(record["stopped"], "timeout");
  EXPECT_EQ(record["percent_of_ceiling"], 101);
  EXPECT_EQ(record["above_ceiling"], true);
  EXPECT_EQ(record["ceiling_read_gb_per_s"], 18);
  EXPECT_EQ(record["samples_repeated"], 10);
  EXPECT_EQ(record["samples_slow"], 100);
  EXPECT_EQ(record["clocks"]["throttled_by"], Json({"software power cap"}));
  EXPECT_TRUE(record["ceiling_mix_gb_per_s"].is_null());
}

TEST(Forks, ASecondSeriesIsKeptByFork) {
  std::vector<Record> forks = five();
  EXPECT_TRUE(record_of_forks(forks, 100)["again_ns"].is_null());
  for (int i = 0; i < 5; ++i) forks[std::size_t(i)]["again_ns"] = {{i, i}};
  EXPECT_EQ(record_of_forks(forks, 100)["again_ns"], Json::parse("[[0,0],[1,1],[2,2],[3,3],[4,4]]"));
  EXPECT_TRUE(record_of_forks(forks, 100)["result_digests"].is_null());
  for (int i = 0; i < 5; ++i) forks[std::size_t(i)]["result_digests"] = {{i, "a"}};
  EXPECT_EQ(record_of_forks(forks, 100)["result_digests"][4], Json::parse(R"([4,"a"])"));
}

TEST(Forks, OneThatHasNotPassedIsTheOutcome) {
  std::vector<Record> forks = five();
  forks[3] = completed(record_of("reduce/harris3", 250, "wrong"));
  forks[3]["reason"] = "element 0 is 3, not 4";
  const Record record = record_of_forks(forks, 100);
  EXPECT_EQ(record["outcome"], "wrong");
  EXPECT_EQ(record["reason"], "in fork 4 of 5: element 0 is 3, not 4");
  EXPECT_TRUE(record["time_ns"].is_null());
}

// A clock that ticks gives the same median again and again: the time is not known better than its tick.
TEST(Forks, AnIntervalIsNotNarrowerThanTheTick) {
  const Record same = record_of_forks({fork({64, 96, 96}), fork({96, 96, 128}), fork({96, 96, 96})}, 100);
  EXPECT_EQ(same["time_low_ns"], 80);
  EXPECT_EQ(same["time_high_ns"], 112);
  const Record alone = fork({96, 96, 96, 96, 96, 96, 96, 96, 96, 64});
  EXPECT_EQ(alone["time_low_ns"], 80);
  EXPECT_EQ(alone["time_high_ns"], 112);
}

// All samples alike have no distance of their own.
TEST(Forks, ATickThatTheClockIsKnownToHaveCounts) {
  std::vector<Record> forks{fork({96, 96, 96}), fork({96, 96, 96})};
  EXPECT_EQ(record_of_forks(forks, 100)["time_low_ns"], 96) << "no clock has said its tick";
  for (Record& one : forks) {
    one["clock_tick_ns"] = 32;
    set_times(one, {{96, 96, 96, 96, 96, 96, 96, 96, 96, 96}}, interval_error);
    EXPECT_EQ(one["time_low_ns"], 80);
    EXPECT_EQ(one["time_high_ns"], 112);
  }
  const Record both = record_of_forks(forks, 100);
  EXPECT_EQ(both["time_low_ns"], 80);
  EXPECT_EQ(both["time_high_ns"], 112);
  EXPECT_EQ(both["clock_tick_ns"], 32);
}

TEST(Forks, ATickIsTheSmallestStepOfAClock) {
  Tick tick;
  for (const double ns : {4096.0, 4096.0}) tick.see(ns);
  EXPECT_EQ(tick.ns(), 0);
  for (const double ns : {7744.0, 7776.0, 7776.0, 7680.0}) tick.see(ns);
  EXPECT_EQ(tick.ns(), 32);
}

TEST(Forks, EachPreciseAndApartIsSaid) {
  EXPECT_EQ(record_of_forks(five(), 17)["stopped"], "precise") << "the noise is 16.4 %";
  EXPECT_EQ(record_of_forks(five(), 16)["stopped"], "forks_differ");
  std::vector<Record> forks = five();
  forks[1]["stopped"] = "timeout";
  EXPECT_EQ(record_of_forks(forks, 16)["stopped"], "timeout");
}

TEST(Forks, SamplesHaveTenthsOfANanosecond) {
  EXPECT_EQ(in_tenths({7744.000315666199, 0.04}), (std::vector<double>{7744, 0}));
  EXPECT_EQ(Json(in_tenths({6783.96})).dump(), "[6784.0]");
}

// Records of before: one fork's samples, without its list.
TEST(Forks, FlatSamplesAreThoseOfOneFork) {
  Record old = fork({1, 2, 3});
  old["samples_ns"] = {1, 2, 3};
  old.erase("forks");
  ASSERT_EQ(mistake_in(old), "");
  EXPECT_EQ(completed(old)["samples_ns"], Json::parse("[[1,2,3]]"));
  EXPECT_EQ(completed(old)["forks"], 1);
}

// A fork's own fields come from the one with the median time, of four from the second.
TEST(Forks, TheRestIsTheMedianForks) {
  std::vector<Record> forks{fork({14}), fork({10}), fork({13}), fork({11}), fork({12})};
  const char* const reasons[] = {"sync boost", "hardware slowdown", "display clock setting",
                                 "software power cap", "sync boost"};
  for (std::size_t i = 0; i < forks.size(); ++i) {
    forks[i]["clocks"] = {{"sm_mhz", 1000 + i}, {"throttled_by", {reasons[i]}}};
    forks[i]["clock_tick_ns"] = 8 + 2 * ((i + 3) % 5);
    forks[i]["percent_of_ceiling"] = 98 + i;
    forks[i]["error_bound"] = 1000 + i;
  }
  const Record five_forks = record_of_forks(forks, 100);
  EXPECT_EQ(five_forks["clocks"],
            (Json{{"sm_mhz", 1004},
                  {"throttled_by",
                   {"sync boost", "hardware slowdown", "display clock setting", "software power cap"}}}));
  EXPECT_EQ(five_forks["error_bound"], 1004);
  EXPECT_EQ(five_forks["clock_tick_ns"], 8) << "of the third fork: one clock ticks for all";
  EXPECT_EQ(five_forks["percent_of_ceiling"], 100);
  EXPECT_EQ(five_forks["above_ceiling"], false) << "100 % is what there is";
  forks.pop_back();
  const Record four = record_of_forks(forks, 100);
  EXPECT_EQ(four["error_bound"], 1003) << "11 of 10, 11, 13, 14";
  EXPECT_EQ(four["time_ns"], 12);
  EXPECT_EQ(four["percent_of_ceiling"], 99.5);
  forks.resize(1);
  const Record alone = record_of_forks(forks, 100);
  EXPECT_EQ(alone["time_ns"], 14);
  EXPECT_EQ(alone["stopped"], "precise");
  EXPECT_EQ(alone["clocks"], forks[0]["clocks"]);
}

// What fork 1 says counts as what any other does, and more where no other says anything.
TEST(Forks, TheFirstForkCounts) {
  std::vector<Record> forks = five();
  forks[0]["stopped"] = "max_samples";
  EXPECT_EQ(record_of_forks(forks, 100)["stopped"], "max_samples");
  forks[0]["stopped"] = "no";
  EXPECT_EQ(record_of_forks(forks, 100)["stopped"], "no");
  forks[0] = completed(record_of("reduce/harris3", 250, "failed"));
  forks[0]["reason"] = "it said no";
  forks[1] = completed(record_of("reduce/harris3", 250, "unsupported"));
  forks[1]["reason"] = "too large";
  EXPECT_EQ(record_of_forks(forks, 100)["reason"], "in fork 1 of 5: it said no");
  forks.erase(forks.begin());
  EXPECT_EQ(record_of_forks(forks, 100)["reason"], "too large") << "which no process can change";
  forks[0] = completed(record_of("reduce/harris3", 250));
  EXPECT_EQ(record_of_forks(forks, 100), forks[0]) << "of a device without time";
}

TEST(Forks, WithoutInputsThereIsNoTimePerInput) {
  Record none = completed(record_of("reduce/harris3", 0));
  set_times(none, {{14, 10, 11}}, interval_error);
  EXPECT_TRUE(none["ns_per_input"].is_null());
  EXPECT_EQ(none["time_ns"], 11);
  EXPECT_DOUBLE_EQ(none["bandwidth_gb_per_s"], 4.0 / 11);
}

// One input is some: its time is that of an input.
TEST(Forks, ATimePerInputIsOfOneInputOn) {
  Record one = completed(record_of("reduce/harris3", 1));
  set_times(one, {{14, 10, 11}}, interval_error);
  EXPECT_EQ(one["ns_per_input"], 11);
  EXPECT_DOUBLE_EQ(one["bandwidth_gb_per_s"], 8.0 / 11);
}

// Of each field the forks have other numbers, in another order; where one fork has none, all have none.
TEST(Forks, EachRateIsTheMedianOverTheForks) {
  const std::vector<std::string> fields{
      "ceiling_read_gb_per_s", "ceiling_mix_gb_per_s", "ceiling_copy_gb_per_s",  "ceiling_write_gb_per_s",
      "empty_sample_ns",       "percent_of_ceiling",   "scattered_reads_per_ns", "scattered_atomics_per_ns",
      "percent_of_scattered",  "sm_clock_mhz",         "queue_slot_ns"};
  std::vector<Record> forks = five();
  for (std::size_t f = 0; f < fields.size(); ++f)
    for (std::size_t i = 0; i < 5; ++i) forks[i][fields[f]] = 10 * f + (2 * i + f) % 5;
  const Record record = record_of_forks(forks, 100);
  for (std::size_t f = 0; f < fields.size(); ++f) EXPECT_EQ(record[fields[f]], 10 * f + 2) << fields[f];
  EXPECT_EQ(record["above_ceiling"], false) << "52 %";
  for (const std::string& field : fields) {
    std::vector<Record> without = forks;
    without[4][field] = nullptr;
    const Record all = record_of_forks(without, 100);
    for (const std::string& other : fields)
      EXPECT_EQ(all[other], other == field ? Json() : record[other]) << other << " without " << field;
  }
}

// Repeated or slow samples of the forks that tell of them are added; a finer tick counts wherever it was
// seen.
TEST(Forks, SumsAndTheFinestTickAreOfThoseThatTell) {
  std::vector<Record> forks = five();
  forks[1]["samples_repeated"] = 3;
  forks[4]["samples_repeated"] = 5;
  forks[2]["clock_tick_ns"] = 7;
  forks[3]["clock_tick_ns"] = 6;
  const Record record = record_of_forks(forks, 100);
  EXPECT_EQ(record["samples_repeated"], 8);
  EXPECT_TRUE(record["samples_slow"].is_null());
  EXPECT_EQ(record["clock_tick_ns"], 6);
}

// Without reasons to throttle none are made up; a noise that is just allowed is allowed.
TEST(Forks, WhatIsNotThereOrJustAllowedChangesNothing) {
  std::vector<Record> forks = five();
  for (int i = 0; i < 5; ++i) forks[std::size_t(i)]["clocks"] = {{"sm_mhz", 1000 + i}};
  EXPECT_EQ(record_of_forks(forks, 100)["clocks"], (Json{{"sm_mhz", 1004}})) << "of the median fork";
  const double noise = record_of_forks(five(), 100)["noise_percent"];
  EXPECT_EQ(record_of_forks(five(), noise)["stopped"], "precise");
}

}  // namespace
}  // namespace redbench
