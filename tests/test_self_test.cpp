// What a run differs from itself by, and `redbench compare` and `redbench selftest` as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/compare/self_test.hpp"
#include "tests/compare_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::HasSubstr;

/// Sampled twice.
Record twice(const std::string& variant, const std::vector<double>& forks, const std::vector<double>& again,
             Index n) {
  Record record = measured(variant, forks, n);
  record["again_ns"] = measured(variant, again, n)["samples_ns"];
  record["time_low_ns"] = forks.front();
  record["time_high_ns"] = forks.back();
  return record;
}

TEST(SelfTestReport, CountsPairsAndWhatIsTakenForADifference) {
  // Between the runs: harris3 alike, harris7 5 % apart, so disjoint, too. Within b: harris7 3 % apart.
  const std::vector<double> rising{99800, 99900, 100000, 100100, 100200};
  const StoredRun a = run_of(
      "a", {twice("reduce/harris3", rising, rising, 1024), twice("reduce/harris7", rising, rising, 2048)});
  const StoredRun b =
      run_of("b", {twice("reduce/harris3", rising, rising, 1024),
                   twice("reduce/harris7", times(1.05, rising), times(1.05 * 1.03, rising), 2048)});
  const SelfTest test = self_test({a, b}, 1);
  EXPECT_EQ(test.between.pairs, 2u);
  EXPECT_EQ(test.between.differing, 1u);
  EXPECT_EQ(test.within.pairs, 4u);
  EXPECT_EQ(test.within.differing, 1u);
  EXPECT_EQ(test.disjoint, 1u);
  EXPECT_NEAR(test.differing_percent(), 100 * 2 / 6.0, 1e-9);
  ASSERT_EQ(test.sizes.size(), 2u);
  EXPECT_EQ(test.sizes[0].n, 1024u);
  const Json json = to_json(test);
  EXPECT_EQ(json["pairs"], 6);
  EXPECT_EQ(json["runs"], Json({"a", "b"}));
  EXPECT_EQ(json["sizes"][0]["between_runs"]["smallest_difference_percent"], 0);
  EXPECT_NEAR(json["sizes"][1]["between_runs"]["smallest_difference_percent"].get<double>(), 5, 1e-3);
  EXPECT_NEAR(json["sizes"][1]["within_a_run"]["smallest_difference_percent"].get<double>(), 3, 2e-3);
  EXPECT_THAT(text_of(test, 0),
              HasSubstr("6 pairs of the same kernel, input and machine: 2 between 2 runs, 4 within one."));
  EXPECT_THAT(markdown(test, "T"), HasSubstr("- Intervals of two runs that are disjoint: 1 of 2."));
}

TEST(SelfTestReport, EachRunIsComparedWithEachOther) {
  std::vector<StoredRun> runs;
  for (const char* name : {"a", "b", "c", "d"})
    runs.push_back(run_of(name, {twice("reduce/harris3", around_100, around_100, 1024)}));
  const SelfTest test = self_test(runs, 1);
  EXPECT_EQ(test.between.pairs, 6u);
  EXPECT_EQ(test.within.pairs, 4u);
  EXPECT_EQ(test.between.differing + test.within.differing, 0u);
}

TEST(SelfTestReport, WhatWasNotSampledTwiceIsNamed) {
  const StoredRun run = run_of("a", {measured("reduce/harris3", around_100)});
  EXPECT_EQ(usage_error([&] { self_test({run, run}, 1); }),
            "a: no case was sampled twice; --set measure.twice=true does it");
}

TEST(SelfTestReport, NinetyFivePercentAreCloser) {
  std::vector<double> values;
  for (int i = 100; i > 0; --i) values.push_back(i);
  EXPECT_EQ(percentile_95(values), 95);
  EXPECT_EQ(percentile_95({3}), 3);
  EXPECT_EQ(percentile_95({}), 0);
}

/// A folder with runs in it.
class CompareCommand : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::vector<Record>& records,
                    const Json& session = Json::object()) {
    std::string lines;
    for (const Record& record : records) lines += line_of(record) + '\n';
    folder_.write(name + "/records.jsonl", lines);
    folder_.write(name + "/run.json", line_of(run_of(name, {}, session).facts));
    return folder_.path() + "/" + name;
  }
  TemporaryFolder folder_;
};

TEST_F(CompareCommand, PrintsTheTableAndWritesFiles) {
  const std::string a = write("a", {measured("reduce/harris3", around_100)}),
                    b = write("b", {measured("reduce/harris3", times(1.05))}),
                    json = folder_.path() + "/c.json", md = folder_.path() + "/c.md";
  const Answer answer = redbench("compare " + a + " " + b + " --json " + json + " --md " + md);
  EXPECT_EQ(answer.exit_code, 0) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("0 faster, 1 slower, 0 same, 0 undecided: 1 of 1 pairs differ"));
  std::ifstream file(json);
  EXPECT_EQ(Json::parse(file)["differing"], 1);
  EXPECT_TRUE(std::filesystem::exists(md));
  EXPECT_EQ(redbench("compare " + a + " " + b + " --fail-on-regression").exit_code, exit_failed);
  EXPECT_EQ(redbench("compare " + b + " " + a + " --fail-on-regression").exit_code, 0);
  EXPECT_EQ(redbench("compare " + a + " " + b + " --threshold 10 --fail-on-regression").exit_code, 0);
}

TEST_F(CompareCommand, VariantsOfOneRun) {
  const std::string a =
      write("a", {measured("reduce/harris3", around_100), measured("reduce/harris7", times(0.9))});
  const Answer answer = redbench("compare " + a + " --variants harris3 harris7");
  EXPECT_EQ(answer.exit_code, 0) << answer.text;
  EXPECT_THAT(answer.text, HasSubstr("harris7 /"));
  EXPECT_THAT(answer.text, HasSubstr("1 faster"));
}

TEST_F(CompareCommand, Mistakes) {
  const std::string a = write("a", {measured("reduce/harris3", around_100)}, {{"driver", "550"}}),
                    b = write("b", {measured("reduce/harris3", around_100)}, {{"driver", "560"}});
  const auto refused = [](const std::string& arguments, const std::string& why) {
    const Answer answer = redbench("compare " + arguments);
    EXPECT_EQ(answer.exit_code, exit_usage) << arguments << answer.text;
    EXPECT_THAT(answer.text, HasSubstr(why)) << arguments;
  };
  refused(a, "1 run is given; two are compared");
  refused(a + " " + a + " " + a, "3 runs are given");
  refused(a + " " + b + " --variants harris3 harris7",
          "2 runs are given; two are compared, or two variants of one");
  refused(a + " " + b, "other driver: 550 and 560; --across");
  refused(a + " " + folder_.path() + "/nowhere", "run.json: missing");
  refused(a + " " + a + " --threshold -1", "--threshold -1: 0 or more");
  refused(a + " " + a + " --json " + a + "/records.jsonl", "--json");
  folder_.write("a/tables/test.csv", "");
  refused(a + " " + a + " --json " + a + "/tables/test.csv", "it is a table of that run");
  refused(a + " " + a + " --json -", "/dev/stdout is standard output");
  const std::string twice = folder_.path() + "/x";
  refused(a + " " + a + " --json " + twice + " --md " + twice, "the file of --json");
  EXPECT_FALSE(std::filesystem::exists(twice));
  EXPECT_EQ(redbench("compare " + a + " " + b + " --across").exit_code, 0);
}

TEST(SelftestCommand, RunsAgainstItselfOnTheHost) {
  const TemporaryFolder folder;
  const std::string out = folder.path() + "/self";
  const std::string command =
      "selftest -d host -b cpu_serial -a n=500,1000 --set measure.forks=2 -q -o " + out;
  const Answer answer = redbench(command);
  ASSERT_EQ(answer.exit_code, 0) << answer.text;
  EXPECT_THAT(answer.text,
              HasSubstr("12 pairs of the same kernel, input and machine: 4 between 2 runs, 8 within one."));
  std::ifstream file(out + "/selftest.json");
  const Json json = Json::parse(file);
  EXPECT_EQ(json["pairs"], 12);
  EXPECT_EQ(json["sizes"].size(), 2u);
  EXPECT_TRUE(std::filesystem::exists(out + "/selftest.md"));
  const std::vector<Record> records = read_records(out + "/b/records.jsonl");
  ASSERT_EQ(records.size(), 4u);
  for (const Record& record : records) {
    EXPECT_EQ(record["forks"], record["again_ns"].size());
    EXPECT_EQ(record["samples_ns"][0].size(), record["again_ns"][0].size());
    EXPECT_NE(record["samples_ns"], record["again_ns"]);
  }
  EXPECT_NE(redbench("compare " + out + "/a " + out + "/b").exit_code, exit_usage);

  EXPECT_THAT(redbench(command).text, HasSubstr("selftest.json: is there; --resume goes on"));
  // The bug was that `a` was replaced before `b` was looked at.
  std::filesystem::remove_all(out + "/b");
  folder.write("self/b/records.jsonl", "mine");
  const std::vector<Record> before = read_records(out + "/a/records.jsonl");
  const Answer refused = redbench(command + " --replace");
  EXPECT_EQ(refused.exit_code, exit_usage);
  EXPECT_THAT(refused.text, HasSubstr("self/b: holds `records.jsonl` and no run.json"));
  EXPECT_EQ(read_records(out + "/a/records.jsonl"), before);
  std::filesystem::remove_all(out + "/b");
  EXPECT_EQ(redbench(command + " --resume").exit_code, 0);
}

TEST(SelftestCommand, Mistakes) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& arguments, const std::string& why) {
    const Answer answer = redbench("selftest " + arguments + " -o " + folder.path() + "/self");
    EXPECT_EQ(answer.exit_code, exit_usage) << arguments << answer.text;
    EXPECT_THAT(answer.text, HasSubstr(why)) << arguments;
    EXPECT_FALSE(std::filesystem::exists(folder.path() + "/self")) << arguments;
  };
  refused("-d simt", "the modelled device has no time");
  refused("-d host --set measure.forks=1", "--set measure.forks=5 measures in five");
  refused("-d host --runs 1", "--runs: 2 to 26, not 1");
  refused("-d host configs/quick.json configs/large.json", "one config at most");
}

}  // namespace
}  // namespace redbench
