// Which cells of another run are taken in place of measuring them: all that decides a record must be the
// same.
#include "src/run/shared_cells.hpp"

#include <gtest/gtest.h>

#include "src/run/recording.hpp"
#include "src/run/run_facts.hpp"
#include "tests/run_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

class SharedCells : public testing::Test {
 protected:
  void SetUp() override {
    const std::string config = folder_.write("x.json", R"({"measure": {"mode": ["warm", "cold"]},
        "experiments": [{"problem": "reduce", "variants": ["cpu_serial", "cpu_openmp"],
                         "axes": {"n": 64, "values": "exact"}}]})");
    work_ = make_work({.kind = Job::Kind::run, .request = {.config = config, .device = "host"}});
    facts_ = session_facts(work_);
    other_.path = "other";
    other_.facts = run_facts(work_);
    other_.facts["sessions"] = Json::array({facts_, facts_});
    other_.facts["sessions"][1]["started"] = "another day";
    const Cell& cell = work_.plan.cells.at(0);
    for (const Case& one : cell.cases)
      for (const Mode mode : modes_of(one, work_)) {
        const Device& device = work_.devices->devices().of(*one.variant);
        Record record = case_record(cell, one, device, mode, Outcome::passed);
        record["input_files"] = work_.inputs.digests_of(one.input.axes);
        record["session"] = 1;
        other_.records.push_back(record);
      }
  }
  std::optional<SharedCell> found() { return shared_cell(work_, 0, other_, facts_); }

  TemporaryFolder folder_;
  Work work_;
  StoredRun other_;
  Json facts_;
};

/// Something else of the same kind.
Json other_than(const Json& value) {
  if (value.is_string()) return value.get<std::string>() + "x";
  if (value.is_number()) return value.get<double>() + 1;
  return {{"of", "another kind"}};
}

TEST_F(SharedCells, AllRecordsOfACellComeWithTheirSession) {
  ASSERT_EQ(other_.records.size(), 4u);
  const std::optional<SharedCell> shared = found();
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->records, other_.records);
  EXPECT_EQ(shared->session["started"], "another day");
  other_.records.push_back(other_.records[0]);
  other_.records.back()["key"] = "a case of no interest";
  other_.records.back()["session"] = 0;
  EXPECT_TRUE(found());
}

TEST_F(SharedCells, WhatDecidesARecordMustBeTheSame) {
  const StoredRun same = other_;
  for (const char* fact : {"measure", "driver", "host"}) {
    other_ = same;
    other_.facts["sessions"][1][fact] = other_than(facts_[fact]);
    EXPECT_FALSE(found()) << fact;
    other_.facts["sessions"][1].erase(fact);
    EXPECT_FALSE(found()) << fact << " is not known";
    other_ = same;
    other_.facts["sessions"][0][fact] = other_than(facts_[fact]);
    EXPECT_TRUE(found()) << fact << " of a session that made none of them";
  }
  for (const char* fact : {"started", "ended", "command_line", "build", "commit", "dirty"}) {
    other_ = same;
    other_.facts["sessions"][1][fact] = other_than(facts_[fact]);
    EXPECT_TRUE(found()) << fact;
  }
  for (const auto& [fact, value] : same.facts["device"].items()) {
    other_ = same;
    other_.facts["device"][fact] = other_than(value);
    EXPECT_EQ(found().has_value(), fact == "memory_bytes") << fact;
  }
  for (const char* field : {"key", "mode", "seed", "device", "hardware", "source_hash", "measured_by",
                            "built_by", "input_files"}) {
    other_ = same;
    other_.records[2][field] = other_than(other_.records[2][field]);
    EXPECT_FALSE(found()) << field;
  }
}

TEST_F(SharedCells, ACellIsTakenWholeAndOfOneSession) {
  const StoredRun same = other_;
  for (std::size_t i = 0; i < same.records.size(); ++i) {
    other_ = same;
    other_.records.erase(other_.records.begin() + std::ptrdiff_t(i));
    EXPECT_FALSE(found()) << "without record " << i;
    other_ = same;
    other_.records[i]["session"] = 0;
    EXPECT_FALSE(found()) << "record " << i << " is of other rounds";
    for (const auto& [outcome, is_taken] : {std::pair(Outcome::wrong, true),
                                            {Outcome::failed, false},
                                            {Outcome::timeout, false},
                                            {Outcome::unsupported, false}}) {
      other_ = same;
      other_.records[i]["outcome"] = name_of(outcome);
      EXPECT_EQ(found().has_value(), is_taken) << name_of(outcome);
    }
  }
}

// As strangers write files.
TEST_F(SharedCells, ARunThatDoesNotTellItsDeviceIsOfAnother) {
  for (const Json& device : {Json(), Json(5), Json("host"), Json::array()}) {
    other_.facts["device"] = device;
    EXPECT_FALSE(found()) << device;
  }
  other_.facts.erase("device");
  EXPECT_FALSE(found());
}

// The bug: a cell that two runs have came twice.
TEST_F(SharedCells, ARecordingTakesACellOnceAndSaysHowManyRecords) {
  StoredRun later = other_;
  later.path = "later";
  later.facts["sessions"][1]["started"] = "a later day";
  for (Json& session : other_.facts["sessions"]) session["planned_s"] = 5;
  const std::string folder = folder_.path() + "/out";
  Recording recording(work_, {.folder = folder}, {other_, later});
  EXPECT_EQ(recording.planned(), 4u);
  EXPECT_EQ(recording.missing(), 0u);
  EXPECT_EQ(recording.shared(), 4u);
  EXPECT_TRUE(recording.make(false));
  EXPECT_EQ(lines_of(folder + "/records.jsonl").size(), 4u);
  const Json sessions = read_facts(folder + "/run.json")["sessions"];
  Json of_other = other_.facts["sessions"][1];
  of_other.erase("planned_s");
  of_other["shared_from"] = "x";
  EXPECT_EQ(sessions, Json::array({of_other})) << "of the first that has it, without what that run planned";
}

TEST(DoneCases, ARefusalIsDoneWhereItWouldBeRefusedAgain) {
  const auto done = [](Outcome outcome, const char* refusal) {
    return is_done({{"outcome", name_of(outcome)}}, refusal);
  };
  for (const char* refusal : {"", "too large"}) {
    EXPECT_TRUE(done(Outcome::passed, refusal));
    EXPECT_TRUE(done(Outcome::wrong, refusal));
    EXPECT_FALSE(done(Outcome::failed, refusal));
    EXPECT_FALSE(done(Outcome::timeout, refusal));
  }
  EXPECT_TRUE(done(Outcome::unsupported, "too large"));
  EXPECT_FALSE(done(Outcome::unsupported, ""));
}

// What a plan expected is held against the time of a session that made all of it.
TEST(Recordings, OnlyASessionThatMakesAllSaysWhatWasPlanned) {
  const TemporaryFolder folder;
  folder.write("config.json", config_text("[10, 20]"));
  ASSERT_EQ(redbench(run_arguments(folder)).exit_code, exit_fine);
  folder.write("config.json", config_text("[10, 20, 30]"));
  ASSERT_EQ(redbench(run_arguments(folder, "--resume")).exit_code, exit_fine);
  ASSERT_EQ(redbench(run_arguments(folder, "--resume")).exit_code, exit_fine);
  const StoredRun run = read_stored_run(folder.path() + "/out");
  const Json& sessions = run.facts["sessions"];
  ASSERT_EQ(sessions.size(), 2u) << "the last had nothing to make";
  EXPECT_TRUE(sessions[0].contains("planned_s"));
  EXPECT_FALSE(sessions[1].contains("planned_s"));
  for (const Json& session : sessions) EXPECT_TRUE(session["ended"].is_string());
  std::vector<int> made_in;
  for (const Record& record : run.records) made_in.push_back(record["session"]);
  EXPECT_EQ(made_in, (std::vector<int>{0, 0, 0, 0, 1, 1}));
}

}  // namespace
}  // namespace redbench
