// The record of several processes, whole: each field of three that differ in all.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "src/cell/forks.hpp"
#include "tests/record_support.hpp"

namespace redbench {
namespace {

const char* const medians_of_forks[] = {
    "ceiling_read_gb_per_s", "ceiling_mix_gb_per_s", "ceiling_copy_gb_per_s",  "ceiling_write_gb_per_s",
    "empty_sample_ns",       "percent_of_ceiling",   "scattered_reads_per_ns", "scattered_atomics_per_ns",
    "percent_of_scattered",  "sm_clock_mhz",         "queue_slot_ns"};

/// One process's record, of 1000 bytes read and 4 written; the fields that are medians are 10, 20, ... and
/// `place` more.
Record fork(std::vector<double> samples, int place) {
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

TEST(ForksWhole, EachFieldIsOfAllThree) {
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
  expected["clock_tick_ns"] = 3;
  int number = 0;
  for (const char* field : medians_of_forks) expected[field] = 10.0 * ++number + 2;
  expected["queue_slot_ns"] = nullptr;
  expected["above_ceiling"] = false;  // 62 %
  expected["samples_repeated"] = 35;
  expected["again_ns"] = Json::parse("[[0.0, 2.5], [1.5, 2.5], [3.0, 2.5]]");
  expected["result_digests"] = Json::parse(R"([["a", "0"], ["a", "1"], ["a", "2"]])");
  expected["clocks"] = {{"sm_mhz", 1002}, {"throttled_by", {"sync boost", "hardware slowdown"}}};
  EXPECT_EQ(record, expected) << Json::diff(record, expected);
}

// As much noise as is allowed is still precise.
TEST(ForksWhole, ForksDifferByMoreThanIsAllowed) {
  const double noise = record_of_forks(three(), 1000)["noise_percent"];
  EXPECT_EQ(record_of_forks(three(), noise)["stopped"], "precise");
  EXPECT_EQ(record_of_forks(three(), std::nextafter(noise, 0.0))["stopped"], "forks_differ");
  EXPECT_TRUE(record_of_forks({fork({90}, 1)}, 0)["noise_percent"].is_null());
  EXPECT_EQ(record_of_forks({fork({90}, 1)}, 0)["stopped"], "precise") << "of one sample there is no noise";
}

// Clocks that could not be read say so, and nothing of what throttled them; nor do other processes for them.
TEST(ForksWhole, ClocksThatAreMissingStayAsTheyAre) {
  const Json missing{{"missing", "no NVML"}}, read{{"sm_mhz", 1500}, {"throttled_by", {"sync boost"}}};
  std::vector<Record> forks = three();
  for (Record& record : forks) record["clocks"] = missing;
  EXPECT_EQ(record_of_forks(forks, 1000)["clocks"], missing);
  forks[0]["clocks"] = read;
  EXPECT_EQ(record_of_forks(forks, 1000)["clocks"], missing);
  forks[0]["clocks"] = missing;
  forks[2]["clocks"] = read;
  EXPECT_EQ(record_of_forks(forks, 1000)["clocks"], read);
  for (Record& record : forks) record["clocks"] = nullptr;
  EXPECT_EQ(record_of_forks(forks, 1000)["clocks"], Json());
}

// What all forks have to know is not known where one does not; what any of them counts is.
TEST(ForksWhole, AFieldThatOneForkHasNotIsNull) {
  for (std::size_t without = 0; without < 3; ++without) {
    std::vector<Record> forks = three();
    forks[without]["percent_of_ceiling"] = nullptr;
    forks[without]["samples_slow"] = 6;
    const Record record = record_of_forks(forks, 1000);
    EXPECT_TRUE(record["percent_of_ceiling"].is_null()) << without;
    EXPECT_EQ(record["above_ceiling"], true) << "as the median fork has it";
    EXPECT_EQ(record["samples_slow"], 6) << without;
    EXPECT_TRUE(record["samples_repeated"].is_null()) << without;
    EXPECT_TRUE(record["clock_tick_ns"].is_null()) << without;
  }
}

}  // namespace
}  // namespace redbench
