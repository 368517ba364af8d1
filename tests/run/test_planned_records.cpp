// Which cells of another run are taken in place of measuring them: all that decides a record must be the
// same.
#include "src/run/planned_records.hpp"

#include <gtest/gtest.h>

#include "src/run/run_facts.hpp"
#include "tests/run_support.hpp"

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
    for (const Case& case_ : cell.cases)
      for (const Mode mode : modes_of(case_, work_)) {
        const Device& device = work_.device_of(case_);
        Record record = case_record(cell, case_, device, mode, Outcome::passed);
        record["input_files"] = work_.inputs.digests_of(case_.input.axes);
        record["session"] = 1;
        other_.records.push_back(record);
      }
  }
  std::optional<SharedCell> found(const StoredRun& other) {
    return shared_cell(work_, 0, other, std::vector{facts_});
  }
  /// Whether it is found once this was changed.
  bool found_after(const std::function<void(StoredRun&)>& change) {
    StoredRun changed = other_;
    change(changed);
    return found(changed).has_value();
  }

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
  const std::optional<SharedCell> shared = found(other_);
  ASSERT_TRUE(shared);
  EXPECT_EQ(shared->records, other_.records);
  EXPECT_EQ(shared->session["started"], "another day");
  EXPECT_TRUE(found_after([](StoredRun& run) {
    run.records.push_back(run.records[0]);
    run.records.back()["key"] = "a case of no interest";
    run.records.back()["session"] = 0;
  }));
}

TEST_F(SharedCells, WhatDecidesARecordMustBeTheSame) {
  const auto found_with = [&](int session, const std::string& fact, bool known = true) {
    return found_after([&](StoredRun& run) {
      Json& facts = run.facts["sessions"][std::size_t(session)];
      if (known) facts[fact] = other_than(facts_[fact]);
      else facts.erase(fact);
    });
  };
  for (const char* fact : {"measure", "driver", "host"}) {
    EXPECT_FALSE(found_with(1, fact)) << fact;
    EXPECT_FALSE(found_with(1, fact, false)) << fact << " is not known";
    EXPECT_TRUE(found_with(0, fact)) << fact << " of a session that made none of them";
  }
  for (const char* fact : {"started", "ended", "command_line", "build", "commit", "dirty"})
    EXPECT_TRUE(found_with(1, fact)) << fact;
  for (const auto& [fact, value] : other_.facts["device"].items())
    EXPECT_EQ(found_after([&](StoredRun& run) { run.facts["device"][fact] = other_than(value); }),
              fact == "memory_bytes")
        << fact;
  for (const char* field :
       {"key", "mode", "seed", "device", "hardware", "source_hash", "measured_by", "built_by", "input_files"})
    EXPECT_FALSE(found_after([&](StoredRun& run) {
      run.records[2][field] = other_than(run.records[2][field]);
    })) << field;
  EXPECT_FALSE(found_after([](StoredRun& run) { run.facts["device"] = "as a stranger writes it"; }));
}

TEST_F(SharedCells, ACellIsTakenWholeAndOfOneSession) {
  for (std::size_t i = 0; i < other_.records.size(); ++i) {
    EXPECT_FALSE(found_after([&](StoredRun& run) {
      run.records.erase(run.records.begin() + std::ptrdiff_t(i));
    })) << "without record "
        << i;
    EXPECT_FALSE(found_after([&](StoredRun& run) { run.records[i]["session"] = 0; }))
        << "record " << i << " is of other rounds";
    EXPECT_FALSE(found_after([&](StoredRun& run) { run.records[i]["outcome"] = "failed"; }));
  }
}

TEST(DoneCases, WhatFailedOrWouldNoLongerBeRefusedIsNotDone) {
  for (const Outcome outcome :
       {Outcome::passed, Outcome::wrong, Outcome::failed, Outcome::timeout, Outcome::unsupported}) {
    const Record record{{"outcome", name_of(outcome)}};
    const bool is_result = outcome == Outcome::passed || outcome == Outcome::wrong;
    EXPECT_EQ(is_done(record, {}), is_result) << name_of(outcome);
    EXPECT_EQ(is_done(record, Outcome::unsupported), is_result || outcome == Outcome::unsupported)
        << name_of(outcome);
    EXPECT_EQ(is_done(record, Outcome::failed), outcome == Outcome::failed) << name_of(outcome);
  }
}

}  // namespace
}  // namespace redbench
