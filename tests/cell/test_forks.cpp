// Several processes' records of a case as one.
#include "src/cell/forks.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/record_support.hpp"

namespace redbench {
namespace {

const char* const medians_of_forks[] = {
    "ceiling_read_gb_per_s", "ceiling_mix_gb_per_s", "ceiling_copy_gb_per_s",  "ceiling_write_gb_per_s",
    "empty_sample_ns",       "percent_of_ceiling",   "scattered_reads_per_ns", "scattered_atomics_per_ns",
    "percent_of_scattered",  "sm_clock_mhz",         "taken_off_ns",           "taken_off_error_ns",
    "taken_off_percent",     "queue_slot_ns"};

/// One process's record, of 1000 bytes read and 4 written; the fields that are medians are 10, 20, ... and
/// `place` more.
Record fork(std::vector<double> samples, int place = 1) {
  Record record = completed(record_of("reduce/harris3", 250));
  set_times(record, {std::move(samples)}, interval_error);
  record["error"] = 0.25 * (3 - place);
  record["error_bound"] = 7 + place;
  record["stopped"] = "precise";
  record["above_ceiling"] = true;
  int number = 0;
  for (const char* field : medians_of_forks) record[field] = 10 * ++number + place;
  return record;
}

// The medians 100, 90 and 98: a mean of 96, squares of 16, 36 and 4, and Student's 4.302653 for two degrees
// of freedom times the root of 28 / 3 are 13.14482.
std::vector<Record> three() { return {fork({99.5, 101, 100}, 3), fork({90}, 1), fork({97, 99}, 2)}; }

TEST(Forks, EachFieldIsOfAllThree) {
  std::vector<Record> forks = three();
  forks[0]["clock_tick_ns"] = 8;
  forks[2]["clock_tick_ns"] = 3;
  forks[1]["queue_slot_ns"] = nullptr;
  forks[0]["samples_repeated"] = 5;
  forks[2]["samples_repeated"] = 30;
  for (int i = 0; i < 3; ++i) {
    forks[std::size_t(i)]["again_ns"] = {{1.5 * i, 2.5}};
    forks[std::size_t(i)]["result_digests"] = Json::array({Json::array({"a", std::to_string(i)})});
    forks[std::size_t(i)]["clocks"] = {{"sm_mhz", 1000 + i}, {"throttled_by", {"sync boost"}}};
  }
  forks[1]["clocks"]["throttled_by"] = {"hardware slowdown", "sync boost"};
  const Record record = record_of_forks(forks, 1000);
  Record expected = forks[2];  // of the median time
  expected["time_ns"] = 98.0;
  ASSERT_NEAR(record["time_low_ns"], 96 - 13.14482, 1e-4);
  ASSERT_NEAR(record["time_high_ns"], 96 + 13.14482, 1e-4);
  ASSERT_NEAR(record["noise_percent"], 100 * 13.14482 / 98, 1e-4);
  for (const char* field : {"time_low_ns", "time_high_ns", "noise_percent"}) expected[field] = record[field];
  expected["forks"] = 3;
  expected["bandwidth_gb_per_s"] = 1004.0 / 98;
  expected["ns_per_input"] = 98.0 / 250;
  expected["samples_ns"] = Json::parse("[[99.5, 101.0, 100.0], [90.0], [97.0, 99.0]]");
  expected["error"] = 0.5;
  expected["clock_tick_ns"] = 3;  // one clock ticks for all
  int number = 0;
  for (const char* field : medians_of_forks) expected[field] = 10.0 * ++number + 2;
  expected["queue_slot_ns"] = nullptr;  // all have to know it
  expected["above_ceiling"] = false;    // 62 %
  expected["samples_repeated"] = 35;
  expected["again_ns"] = Json::parse("[[0.0, 2.5], [1.5, 2.5], [3.0, 2.5]]");
  expected["result_digests"] = Json::parse(R"([["a", "0"], ["a", "1"], ["a", "2"]])");
  expected["clocks"] = {{"sm_mhz", 1002}, {"throttled_by", {"sync boost", "hardware slowdown"}}};
  EXPECT_EQ(record, expected) << Json::diff(record, expected);
}

TEST(Forks, AFieldThatOneForkHasNotIsNullAndACountThatOneHasCounts) {
  std::vector<Record> forks = three();
  forks[1]["percent_of_ceiling"] = nullptr;
  forks[1]["samples_slow"] = 6;
  // Clocks that could not be read stay as the median fork has them; other processes do not speak for them.
  forks[0]["clocks"] = {{"sm_mhz", 1500}, {"throttled_by", {"sync boost"}}};
  forks[1]["clocks"] = forks[2]["clocks"] = {{"missing", "no NVML"}};
  const Record record = record_of_forks(forks, 1000);
  EXPECT_TRUE(record["percent_of_ceiling"].is_null());
  EXPECT_EQ(record["above_ceiling"], true) << "as the median fork has it";
  EXPECT_EQ(record["samples_slow"], 6);
  EXPECT_EQ(record["clocks"], forks[2]["clocks"]);
  for (const char* field : {"samples_repeated", "clock_tick_ns", "again_ns", "result_digests"})
    EXPECT_TRUE(record[field].is_null()) << field;
}

// By ranks the median of six samples is within the first and the last.
TEST(Forks, TheIntervalOfOneIsWiderByTheErrorOfWhatWasTakenOff) {
  Record record = fork({500, 502, 503, 505, 506, 508});
  EXPECT_EQ(record["time_low_ns"], 500);
  for (const auto& [error, low, high] : {std::tuple(40, 460, 548), {600, 0, 1108}}) {
    record["taken_off_error_ns"] = error;
    set_times(record, {{500, 502, 503, 505, 506, 508}}, interval_error);
    EXPECT_EQ(record["time_low_ns"], low);
    EXPECT_EQ(record["time_high_ns"], high);
  }
  std::vector<Record> forks = three();
  const Record apart = record_of_forks(forks, 1000);
  for (Record& of : forks) of["taken_off_error_ns"] = 40;
  EXPECT_EQ(record_of_forks(forks, 1000)["time_low_ns"], apart["time_low_ns"])
      << "theirs is in their medians";
}

// Of an even number the lower of the two in the middle is the median fork, and the time their mean.
TEST(Forks, OfFourTheSecondIsTheMedianFork) {
  std::vector<Record> forks{fork({14}), fork({10}), fork({13}), fork({11})};
  for (std::size_t i = 0; i < 4; ++i) {
    forks[i]["error_bound"] = 1000 + i;
    forks[i]["percent_of_ceiling"] = 98.5 + double(i);
  }
  Record record = record_of_forks(forks, 100);
  EXPECT_EQ(record["error_bound"], 1003) << "11 of 10, 11, 13, 14";
  EXPECT_EQ(record["time_ns"], 12);
  EXPECT_EQ(record["percent_of_ceiling"], 100);
  EXPECT_EQ(record["above_ceiling"], false) << "100 % is what there is";
  forks.resize(1);
  record = record_of_forks(forks, 100);
  EXPECT_EQ(record["time_ns"], 14);
  EXPECT_EQ(record["stopped"], "precise");
}

TEST(Forks, AreSaidToDifferWhereTheyAreNoisierThanAllowedThoughEachIsPrecise) {
  const double noise = record_of_forks(three(), 1000)["noise_percent"];
  EXPECT_EQ(record_of_forks(three(), noise)["stopped"], "precise");
  EXPECT_EQ(record_of_forks(three(), std::nextafter(noise, 0.0))["stopped"], "forks_differ");
  EXPECT_TRUE(record_of_forks({fork({90})}, 0)["noise_percent"].is_null());
  EXPECT_EQ(record_of_forks({fork({90})}, 0)["stopped"], "precise") << "of one sample there is no noise";
  // The worst reason of any fork counts more.
  std::vector<Record> forks = three();
  for (const auto& [at, reason] : {std::pair(0, "max_samples"), {2, "timeout"}, {1, "max_samples"}}) {
    forks[std::size_t(at)]["stopped"] = reason;
    EXPECT_EQ(record_of_forks(forks, 0)["stopped"], at == 0 ? "max_samples" : "timeout");
  }
}

TEST(Forks, TheFirstThatHasNotPassedIsTheOutcome) {
  std::vector<Record> forks = three();
  forks[2] = completed(record_of("reduce/harris3", 250, "wrong"));
  forks[2]["reason"] = "element 0 is 3, not 4";
  EXPECT_EQ(record_of_forks(forks, 100)["outcome"], "wrong");
  EXPECT_EQ(record_of_forks(forks, 100)["reason"], "in fork 3 of 3: element 0 is 3, not 4");
  EXPECT_TRUE(record_of_forks(forks, 100)["time_ns"].is_null());
  forks[0] = completed(record_of("reduce/harris3", 250, "unsupported"));
  forks[0]["reason"] = "too large";
  EXPECT_EQ(record_of_forks(forks, 100)["reason"], "too large") << "which no process can change";
  forks = {completed(record_of("reduce/harris3", 250)), fork({5})};
  EXPECT_EQ(record_of_forks(forks, 100), forks[0]) << "of a device without time";
}

// A clock that ticks gives the same median again and again: the time is not known better than its tick, which
// is the closest two samples' distance where the clock does not tell.
TEST(Forks, AnIntervalIsNotNarrowerThanTheTick) {
  const auto interval = [](const Record& record) {
    return std::pair(record["time_low_ns"].get<double>(), record["time_high_ns"].get<double>());
  };
  const std::pair<double, double> half_a_tick{80, 112}, none{96, 96};
  EXPECT_EQ(interval(record_of_forks({fork({64, 96, 96}), fork({96, 96, 128}), fork({96, 96, 96})}, 100)),
            half_a_tick);
  EXPECT_EQ(interval(fork({96, 96, 96, 96, 96, 96, 96, 96, 96, 64})), half_a_tick);
  std::vector<Record> forks{fork({96, 96, 96}), fork({96, 96, 96})};
  EXPECT_EQ(interval(record_of_forks(forks, 100)), none) << "no clock has said its tick";
  forks[1]["clock_tick_ns"] = 32;
  forks[1]["taken_off_error_ns"] = nullptr;
  EXPECT_EQ(interval(record_of_forks(forks, 100)), half_a_tick);
  set_times(forks[1], {std::vector<double>(10, 96)}, interval_error);
  EXPECT_EQ(interval(forks[1]), half_a_tick);
}

TEST(Forks, WithoutInputsThereIsNoTimePerInput) {
  for (const Index n : {0, 1}) {
    Record record = completed(record_of("reduce/harris3", n));
    set_times(record, {{14, 10, 11}}, interval_error);
    EXPECT_EQ(record["ns_per_input"], n ? Json(11.0) : Json());
    EXPECT_EQ(record["time_ns"], 11);
    EXPECT_DOUBLE_EQ(record["bandwidth_gb_per_s"], (4.0 + 4.0 * double(n)) / 11);
  }
}

}  // namespace
}  // namespace redbench
