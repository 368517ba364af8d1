// What made a record, and what makes it stale.
#include "src/records/provenance.hpp"

#include <gmock/gmock.h>

#include "src/build_facts.hpp"
#include "src/records/stored_run.hpp"
#include "tests/golden.hpp"
#include "tests/record_support.hpp"
#include "tests/run_support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;

/// As this program would make it, on a device of this target.
Record fresh(Target target) {
  Record record = record_of("reduce/harris3");
  record["device"] = std::string(target_names[std::size_t(target)]) + ":1";
  add_provenance(record, *find_variant("reduce/harris3"), target);
  return record;
}

/// By name: its only value.
Record changed(Record record, const char* field, const Json& value) {
  record[field] = value;
  return record;
}

TEST(Provenance, ARecordHasThatOfItsOwnTarget) {
  for (const Target target : {Target::cuda, Target::simt, Target::host}) {
    const Record record = fresh(target);
    const Variant& kernel = *find_variant("reduce/harris3");
    EXPECT_EQ(record["source_hash"], target == Target::simt ? kernel.byte_hash : kernel.code_hash);
    EXPECT_EQ(record["measured_by"], measured_by[std::size_t(target)]);
    EXPECT_EQ(record["measuring_hash"], measuring_hash[std::size_t(target)]);
    EXPECT_EQ(record["built_by"], build_facts.built_by[std::size_t(target)]);
    EXPECT_EQ(why_stale(changed(record, "measuring_hash", "0123456789abcdef")), "");
    EXPECT_FALSE(is_built_otherwise(record));
    EXPECT_EQ(why_stale(changed(record, "measured_by", measured_by[(std::size_t(target) + 1) % 3])),
              "measured otherwise")
        << "what measures another target does not count";
  }
}

TEST(Provenance, EachReasonIsTold) {
  const Record record = fresh(Target::simt);
  EXPECT_EQ(why_stale(changed(record, "source_hash", "0123456789abcdef")), "kernel changed");
  EXPECT_EQ(why_stale(changed(record, "variant", "reduce/no_more")), "kernel gone");
  // Whether the file that it is of has changed, only a program knows that has loaded it.
  EXPECT_EQ(why_stale(changed(changed(record, "variant", "reduce/mine"), "kernel_file", "/home/me/mine.cu")),
            "");
  EXPECT_EQ(why_stale(changed(record, "measured_by", nullptr)), "measured by an unknown version");
  EXPECT_EQ(why_stale(changed(record, "device", "abacus")), "measured by an unknown version");
  EXPECT_EQ(why_stale(changed(changed(record, "source_hash", "0"), "measured_by", "1")),
            "kernel changed; measured otherwise");
}

/// A run of two variants, with a change of what is kept of the first.
class OfRuns : public testing::Test {
 protected:
  OfRuns() {
    folder_.write("config.json", config_text("[1000]"));
    EXPECT_EQ(redbench(run_arguments(folder_)).exit_code, exit_fine);
  }
  std::vector<Record> records() const { return read_records(path_); }
  void change_first(const char* field, const Json& value) const {
    std::vector<Record> all = records();
    for (Record& record : all)
      if (record["key"] == all[0]["key"]) record[field] = value;
    all[1]["scratch_bytes"] = 777;  // by which it is known again
    const RecordFile file(path_, all);
  }
  std::string results(const std::string& more) const {
    const Answer answer = redbench("results " + folder_.path() + "/out " + more);
    EXPECT_EQ(answer.exit_code, exit_fine);
    return answer.text;
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/out/records.jsonl";
};

TEST_F(OfRuns, WhatWasMadeOtherwiseIsMeasuredAgain) {
  const Record made = records()[0];
  std::size_t count = 2;
  for (const auto& [field, other] : {std::pair("source_hash", Json("0123456789abcdef")),
                                     {"measured_by", "0123456789abcdef"},
                                     {"measured_by", nullptr},
                                     {"built_by", "GNU 1.2.3, flags 01234567"},
                                     {"built_by", nullptr},
                                     {"input_files", {{"values", "ab"}}},
                                     {"hardware", "another"}}) {
    change_first(field, other);
    ASSERT_EQ(redbench(run_arguments(folder_, "-q --resume")).exit_code, exit_fine) << field;
    const StoredRun run = read_stored_run(folder_.path() + "/out");
    EXPECT_EQ(records().size(), ++count) << field;
    ASSERT_EQ(run.records.size(), 2u);
    for (const Record& record : run.records) {
      if (record["scratch_bytes"] == 777) continue;
      EXPECT_EQ(record[field], made[field]);
      EXPECT_EQ(record["session"], count - 2) << "the session that made it";
    }
    EXPECT_EQ(run.facts["sessions"].size(), count - 1);
  }
}

/// Without the path of its folder.
std::string without(std::string text, const std::string& path) {
  for (std::size_t at; (at = text.find(path)) != text.npos;) text.replace(at, path.size(), "FOLDER");
  return text;
}

TEST_F(OfRuns, ResultsSayWhatIsStaleRowByRow) {
  EXPECT_EQ(results("--stale"), "2 records, 0 stale\n");
  change_first("built_by", "GNU 1.2.3, flags 01234567");
  change_first("measured_by", "0");
  const Json rows = Json::parse(results("--json"));
  ASSERT_EQ(rows.size(), 1u);
  const Json& first = rows.begin().value()[0];
  EXPECT_EQ(first, (Json{{"key", records()[0]["key"]},
                         {"mode", "cold"},
                         {"device", "simt:gtx480"},
                         {"stale", "measured otherwise"},
                         {"built_otherwise", true}}));
  EXPECT_EQ(rows.begin().value()[1]["stale"], "");
  EXPECT_THAT(results(""), HasSubstr("harris1 [1]"));
  EXPECT_THAT(results(""), HasSubstr("stale: measured otherwise"));

  std::vector<Record> all = records();
  all[0]["measured_by"] = all[1]["measured_by"] = "0";
  all[0]["built_by"] = all[1]["built_by"];
  all[1].update({{"key", "k"}, {"device", "simt"}, {"mode", "graph"}, {"source_hash", "0"}});
  { const RecordFile file(path_, all); }
  expect_golden("records/results_stale.txt", without(results("--stale"), folder_.path()));
}

}  // namespace
}  // namespace redbench
