// What readers must know of a row before they believe it.
#include "src/tables/marks.hpp"

#include <gtest/gtest.h>

#include "src/records/provenance.hpp"
#include "src/tables/case_table.hpp"
#include "tests/record_support.hpp"
#include "tests/tables/table_support.hpp"

namespace redbench {
namespace {

Table marked(const std::vector<Record>& records) {
  Table table = case_table(records, {});
  mark_rows(table, PackedRecords(records));
  return table;
}

/// A row that is not stale, of two forks, without a mark.
Record clean(const std::string& variant) {
  Record record = timed(variant, 16, 1000, 999, 1001);
  add_provenance(record, *find_variant(variant), Target::cuda);
  record["forks"] = 2;
  record["stopped"] = "precise";
  record["launch_gap_hidden"] = true;
  record["queue_slot_ns"] = 950;
  record["samples_slow"] = 0;
  record["clocks"] = {{"sm_mhz", 1980}, {"throttled_by", Json::array()}};
  return record;
}

const std::string time_us = "time (µs)", share = "share of the measured ceiling (%)",
                  energy = "energy per input (nJ)";

TEST(Marks, WhatDisturbedATimeStandsBesideIt) {
  struct {
    const char* field;
    Json value;
    const char* note;
  } const cases[] = {
      {"clocks", {{"throttled_by", {"power cap", "slowdown"}}}, "the GPU was throttled: power cap, slowdown"},
      {"samples_slow", 1, "some samples at less than 97 % of the cell's clock"},
      {"launch_gap_hidden", false, "includes the host's launch overhead, which could not be hidden"},
      {"queue_slot_ns", nullptr, "launch-slot cost not corrected (up to 1 µs for each launch)"},
      {"stopped", "timeout", "the time limit came before the precision that was asked for"},
      {"stopped", "forks_differ", "processes differ by more than the precision that was asked for"},
      {"graph_beyond_l2", false,
       "the copies of the inputs are at most five times the L2 cache, which may hold some of them"}};
  for (const auto& case_ : cases) {
    Record record = clean("reduce/harris1");
    record[case_.field] = case_.value;
    const Table table = marked({clean("reduce/harris2"), record});
    EXPECT_EQ(cell(table, 0, time_us), "1.000") << case_.field;
    EXPECT_EQ(cell(table, 1, time_us), "1.000 [1]") << case_.field;
    EXPECT_EQ(table.notes, Texts{case_.note});
    EXPECT_EQ(table.remarks, Texts{});
  }
  Record graph = clean("reduce/harris1");
  graph.update({{"graph_beyond_l2", true}, {"mode", "graph"}, {"queue_slot_ns", nullptr}});
  EXPECT_EQ(marked({graph}).notes, Texts{});
}

/// Of 1 Ki inputs and 256 labels.
TEST(Marks, ParametersOfAPointFarAwayAreMarked) {
  struct {
    const char* at;
    bool is_far;
  } const cases[] = {{"n=16384 m=256 of 0a", true},         {"n=64 m=256 of 0a", true},
                     {"n=1024 m=16 of 0a", true},           {"n=1024 m=4096 of 0a", true},
                     {"n=1024 m=0 of 0a", false},           {"n=16383 m=4095 of 0a", false},
                     {"n=1024 m=256 labels=x of 0a", false}};
  for (const auto& [at, is_far] : cases) {
    Record record = clean("multireduce/per_bank");
    record.update({{"n", 1024}, {"axes", {{"m", 256}}}, {"tuned", true}, {"tuned_at", at}});
    EXPECT_EQ(disturbances(record).size(), std::size_t(is_far)) << at;
  }
}

TEST(Marks, AShareAboveTheCeilingAndAMissingEnergyHaveReasons) {
  std::vector<Record> records(3, clean("reduce/harris1"));
  records[0].update({{"percent_of_ceiling", 103.21}, {"energy_nj_per_input", 0.0123456}});
  records[1]["energy_missing"] = "the counter did not move";
  records[2].update({{"percent_of_ceiling", 100.0}, {"energy_nj_per_input", 0.0678}});
  const Table table = marked(records);
  EXPECT_EQ(cell(table, 0, share), "103.2 [2]");
  EXPECT_EQ(cell(table, 2, share), "100.0");
  EXPECT_EQ(cell(table, 0, energy), "0.0123") << "known to 2 %";
  EXPECT_EQ(cell(table, 1, energy), " [1]");
  EXPECT_EQ(cell(table, 2, energy), "0.068");
  EXPECT_EQ(table.notes,
            (Texts{"no energy: the counter did not move",
                   "above the measured ceiling: not all inputs are read, or one of the two numbers is off"}));
  EXPECT_EQ(marked({records[1]}).notes, Texts{}) << "there is no column to stand in";
}

// A case without a time may be stale, but has no other mark.
TEST(Marks, ACaseWithoutATimeHasNoMarkBesideIt) {
  Record wrong = clean("reduce/harris1");
  wrong.update(
      {{"outcome", "wrong"}, {"stopped", "timeout"}, {"samples_slow", 1}, {"launch_gap_hidden", false}});
  for (const char* field : {"time_ns", "time_low_ns", "time_high_ns"}) wrong[field] = nullptr;
  wrong["source_hash"] = "0123456789abcdef";
  const Table table = marked({clean("reduce/harris2"), wrong});
  EXPECT_EQ(cell(table, 1, time_us), "");
  EXPECT_EQ(table.rows[1][0], "harris1 [1]");
  EXPECT_EQ(table.notes, Texts{"stale: kernel changed"});
  EXPECT_TRUE(disturbances(wrong).empty());
}

TEST(Marks, WhatManyRowsShareIsCountedUnderThem) {
  std::vector<Record> records(4, clean("reduce/harris1"));
  records[0]["stopped"] = records[1]["stopped"] = "max_samples";
  records[0]["noise_percent"] = 2.14;
  records[1]["noise_percent"] = 0.7;
  records[2]["noise_percent"] = 9;
  for (int i : {1, 2, 3}) records[std::size_t(i)]["forks"] = 1;
  records.push_back(record_of("reduce/harris1", 16, "unsupported"));
  const Table table = marked(records);
  EXPECT_EQ(table.remarks,
            (Texts{"Stopped at max_samples: 2 of 4 rows, noise up to 2.1 %.",
                   "One fork: 3 of 4 rows, whose intervals say nothing about other processes."}));
}

}  // namespace
}  // namespace redbench
