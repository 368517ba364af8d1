// The wrong kernels of tests/wrong, each caught by the check that is there for it, and costing no other case.
#include <map>
#include <set>

#include "src/records/record.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// Runs these variants of redbench_wrong on one size of one pair, on the modelled GTX 480, beside a right
/// one.
std::map<std::string, Record> outcomes(const std::string& variants, const std::string& op, int n,
                                       int& exit_code) {
  const TemporaryFolder folder;
  const bool affine = op == "affine";
  folder.write("config.json",
               R"({"title": "wrong", "measure": {"hang_s": 3}, "experiments": [{"problem": "reduce",
      "variants": ["tb2", )" +
                   variants + R"(], "axes": {"n": )" + std::to_string(n) + R"(, "type": ")" +
                   (affine ? "u32" : "i32") + R"(", "operator": ")" + op + R"("}}]})");
  const Answer answer =
      answer_of(REDBENCH_WRONG_BINARY, "run config.json -q -d simt:gtx480 -o out", folder.path());
  exit_code = answer.exit_code;
  std::map<std::string, Record> by_name;
  if (!std::filesystem::exists(folder.path() + "/out/records.jsonl")) {
    ADD_FAILURE() << answer.text;
    return by_name;
  }
  for (Record& record : read_records(folder.path() + "/out/records.jsonl"))
    by_name[record["variant"].get<std::string>().substr(7)] = record;
  return by_name;
}

/// The wrong one's record, after a look at the right one beside it.
Record outcome(const std::string& variant, const std::string& op, int n, int expected_exit) {
  int exit_code = -1;
  std::map<std::string, Record> records = outcomes("\"" + variant + "\"", op, n, exit_code);
  EXPECT_EQ(exit_code, expected_exit);
  EXPECT_EQ(records["tb2"].value("outcome", ""), "passed") << "the right one beside it";
  const Record record = records[variant];
  if (record.is_null()) ADD_FAILURE() << "no record of " << variant;
  else EXPECT_TRUE(record["time_ns"].is_null());
  return record;
}

void expect_caught(const std::string& variant, const std::string& op, int n, const std::string& reason) {
  const Record record = outcome(variant, op, n, exit_wrong);
  EXPECT_EQ(record.value("outcome", ""), "wrong") << variant;
  EXPECT_NE(record.value("reason", "").find(reason), std::string::npos)
      << variant << ": " << record["reason"];
}

TEST(Wrong, AlwaysZero) { expect_caught("wrong_zero", "sum", 1000, "result[0] is 0"); }
TEST(Wrong, LastTileSkipped) { expect_caught("wrong_last_tile", "sum", 1000, "the exact answer is"); }
TEST(Wrong, OneDropped) { expect_caught("wrong_one_dropped", "sum", 1000, "the exact answer is"); }
TEST(Wrong, OrderSwapped) { expect_caught("wrong_swapped", "affine", 1000, "the exact answer is"); }
TEST(Wrong, NothingWritten) { expect_caught("wrong_stale", "sum", 20, "result[0] is -1"); }
TEST(Wrong, WritesItsInput) { expect_caught("wrong_writes_input", "sum", 1000, "writes its inputs"); }

// Bounds checks of the modelled device see these first; without them the red zones do.
TEST(Wrong, WritesPastTheResult) {
  int exit_code = -1;
  const Record record = outcomes("\"wrong_writes_past\"", "sum", 1000, exit_code)["wrong_writes_past"];
  EXPECT_NE(exit_code, exit_fine);
  EXPECT_TRUE(record.value("outcome", "") == "wrong" || record.value("outcome", "") == "failed") << record;
}

TEST(Wrong, AHangIsKilledAndCostsItsCase) {
  const Record record = outcome("wrong_hangs", "sum", 1000, exit_failed);
  EXPECT_EQ(record.value("outcome", ""), "timeout");
  EXPECT_NE(record.value("reason", "").find("no sign of life"), std::string::npos) << record["reason"];
}

TEST(Wrong, AFaultCostsItsCase) {
  const Record record = outcome("wrong_faults", "sum", 1000, exit_failed);
  EXPECT_EQ(record.value("outcome", ""), "failed");
}

TEST(Wrong, ADivergentBarrierIsReportedNotWaitedFor) {
  const Record record = outcome("wrong_divergent_barrier", "sum", 1000, exit_failed);
  EXPECT_EQ(record.value("outcome", ""), "failed");
}

// One cell with everything that may happen: each has its row, and a wrong answer is worse than a failure.
TEST(Wrong, ACellSurvivesAllAtOnce) {
  int exit_code = -1;
  const std::map<std::string, Record> records = outcomes(
      R"("wrong_hangs", "harris3", "wrong_faults", "wrong_zero", "harris1")", "sum", 1000, exit_code);
  EXPECT_EQ(exit_code, exit_wrong);
  const std::map<std::string, std::string> expected{{"tb2", "passed"},       {"wrong_hangs", "timeout"},
                                                    {"harris3", "passed"},   {"wrong_faults", "failed"},
                                                    {"wrong_zero", "wrong"}, {"harris1", "passed"}};
  ASSERT_EQ(records.size(), expected.size());
  for (const auto& [name, what] : expected) EXPECT_EQ(records.at(name)["outcome"], what) << name;
}

// The battery finds what one size does not, and schedules find a missing barrier.
TEST(Wrong, TheBatteryCatchesThemAll) {
  const Answer answer =
      answer_of(REDBENCH_WRONG_BINARY,
                "verify -d simt:gtx480 --json --schedules 4 -b "
                "'^reduce/wrong_(zero|last_tile|one_dropped|swapped|stale|writes_input|no_barrier)$'",
                ".");
  EXPECT_EQ(answer.exit_code, exit_wrong);
  const Json tallies = Json::parse(answer.text, nullptr, false);
  ASSERT_TRUE(tallies.is_object()) << answer.text;
  EXPECT_EQ(tallies.size(), 7u);
  for (const auto& [name, tally] : tallies.items()) EXPECT_GT(tally["wrong"].get<int>(), 0) << name;
}

/// The value that a case's key gives an axis.
std::string axis_of(const std::string& key, const std::string& axis) {
  const std::size_t start = key.find(" " + axis + "=") + axis.size() + 2;
  return key.substr(start, key.find(' ', start) - start);
}

// Of segments of 10 to 50, the default, these kernels with their tiles of 64 make the right results.
TEST(Wrong, SegmentsOfOtherShapesCatchWhatTheDefaultDoesNot) {
  const Answer answer = answer_of(REDBENCH_WRONG_BINARY,
                                  "verify -d simt:gtx480 --json --schedules 1 -b '^segreduce/wrong_'", ".");
  EXPECT_EQ(answer.exit_code, exit_wrong);
  const Json tallies = Json::parse(answer.text, nullptr, false);
  ASSERT_TRUE(tallies.is_object()) << answer.text;
  using Names = std::set<std::string>;
  std::map<std::string, Names> shapes, operators;
  for (const auto& [name, tally] : tallies.items())
    for (const Json& bad : tally["bad"]) {
      EXPECT_EQ(bad["outcome"], "wrong") << bad;
      shapes[name].insert(axis_of(bad["key"], "segments"));
      operators[name].insert(axis_of(bad["key"], "operator"));
    }
  EXPECT_EQ(shapes.size(), 4u);
  EXPECT_EQ(shapes["segreduce/wrong_empty_unwritten"],
            (Names{"fixed:3+empty", "uniform:0..6", "geometric:0.5"}));
  // A segment k of 65 values fills tile t from its second value on where 64 t = 65 k + 1: k = 63, t = 64.
  EXPECT_EQ(shapes["segreduce/wrong_carry_lost"], (Names{"one", "uniform:1..3000", "zipf:1.5", "fixed:65"}));
  EXPECT_EQ(shapes["segreduce/wrong_carries_swapped"], (Names{"one", "uniform:1..3000", "zipf:1.5"}));
  EXPECT_EQ(operators["segreduce/wrong_carries_swapped"], (Names{"affine"}));
  // By chance also where sizes are random: segments that start with a tile.
  EXPECT_EQ(shapes["segreduce/wrong_tile_twice"].count("fixed:64"), 1u);
  EXPECT_EQ(shapes["segreduce/wrong_tile_twice"].count("uniform:10..50"), 0u);
}

TEST(Verify, ARightVariantPasses) {
  const Answer answer = redbench("verify -d simt:gtx480 --schedules 2 -b 'reduce/tb2$'");
  EXPECT_EQ(answer.exit_code, exit_fine) << answer.text;
  EXPECT_NE(answer.text.find(" passed, 0 failed\n"), std::string::npos) << answer.text;
}

TEST(Verify, AnUnknownVariantIsAMistake) {
  const Answer answer = redbench("verify -d simt -b 'reduce/harriss3'");
  EXPECT_EQ(answer.exit_code, exit_usage);
  EXPECT_NE(answer.text.find("harris3"), std::string::npos) << answer.text;
}

}  // namespace
}  // namespace redbench
