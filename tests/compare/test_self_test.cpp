// What a run differs from itself by, and `redbench compare` and `redbench selftest` as a user meets them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>

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
  EXPECT_EQ(test.between.pairs(), 2u);
  EXPECT_EQ(test.between.differing, 1u);
  EXPECT_EQ(test.within.pairs(), 4u);
  EXPECT_EQ(test.within.differing, 1u);
  EXPECT_EQ(test.disjoint, 1u);
  EXPECT_EQ(test.differing_percent(), 50) << "of the pairs between runs";
  EXPECT_EQ(test.processes, 10u);
  ASSERT_EQ(test.sizes.size(), 2u);
  EXPECT_EQ(test.sizes[0].n, 1024u);
  const Json json = to_json(test);
  EXPECT_EQ(json["pairs"], 2);
  EXPECT_EQ(json["processes"], 10);
  EXPECT_EQ(json["runs"], Json({"a", "b"}));
  EXPECT_TRUE(json["sizes"][0]["between_runs"]["least_difference_called_percent"].is_null()) << "of one pair";
  EXPECT_GT(json["sizes"][0]["between_runs"]["median_half_width_percent"], 0);
  EXPECT_THAT(text_of(test, 0),
              HasSubstr("2 pairs of the same kernel, input and machine between 2 runs, 4 within "
                        "one, from 10 processes"));
  EXPECT_THAT(text_of(test, 0), HasSubstr("differ: 1 of 2 between runs (50 %), 1 of 4 within one."));
  EXPECT_THAT(markdown(test, "T"), HasSubstr("- Intervals of two runs that are disjoint: 1 of 2."));
}

TEST(SelfTestReport, EachRunIsComparedWithEachOther) {
  std::vector<StoredRun> runs;
  for (const char* name : {"a", "b", "c", "d"})
    runs.push_back(run_of(name, {twice("reduce/harris3", around_100, around_100, 1024)}));
  const SelfTest test = self_test(runs, 1);
  EXPECT_EQ(test.between.pairs(), 6u);
  EXPECT_EQ(test.within.pairs(), 4u);
  EXPECT_EQ(test.between.differing + test.within.differing, 0u);
}

// The later run may be the faster.
TEST(SelfTestReport, IntervalsAreDisjointOnEitherSide) {
  const auto disjoint = [](double low, double high, double other_low, double other_high) {
    Record first = twice("reduce/harris3", around_100, around_100, 1024), second = first;
    first.update({{"time_low_ns", low}, {"time_high_ns", high}});
    second.update({{"time_low_ns", other_low}, {"time_high_ns", other_high}});
    return self_test({run_of("a", {first}), run_of("b", {second})}, 1).disjoint;
  };
  EXPECT_EQ(disjoint(1, 2, 3, 4), 1u);
  EXPECT_EQ(disjoint(3, 4, 1, 2), 1u);
  EXPECT_EQ(disjoint(1, 2, 2, 3), 0u);
  EXPECT_EQ(disjoint(2, 3, 1, 2), 0u);
  EXPECT_EQ(disjoint(1, 4, 2, 3), 0u);
  EXPECT_EQ(disjoint(2, 3, 1, 4), 0u);
}

TEST(SelfTestReport, IntervalsAreHeldAgainstThoseOfTheSameCaseAndMode) {
  const auto record = [](const char* mode, Index n, double low) {
    Record one = twice("reduce/harris3", around_100, around_100, n);
    one.update({{"mode", mode}, {"time_low_ns", low}, {"time_high_ns", low + 1}});
    return one;
  };
  const StoredRun a =
      run_of("a", {record("cold", 1024, 10), record("warm", 1024, 20), record("cold", 2048, 30)});
  EXPECT_EQ(self_test({a, run_of("b", a.records)}, 1).disjoint, 0u);
  const StoredRun other =
      run_of("b", {record("cold", 1024, 10), record("warm", 1024, 10), record("cold", 2048, 30)});
  EXPECT_EQ(self_test({a, other}, 1).disjoint, 1u) << "the warm ones";
}

TEST(SelfTestReport, EachSizeHasItsOwnNumbersInJsonAndTable) {
  const auto against = [](std::size_t differing, std::size_t count, double log_ratio, double half_width) {
    return AgainstItself{differing, std::vector<double>(count, log_ratio),
                         std::vector<double>(count, half_width)};
  };
  SelfTest test;
  test.runs = {"one", "two"};
  test.threshold_percent = 1;
  test.processes = 12;
  test.disjoint = 5;
  test.between = against(4, 50, 0, 0.02);
  test.within = against(3, 20, 0, 0.04);
  test.sizes = {{1 << 18, against(1, 30, 0, std::log(1.03)), against(2, 21, 0, std::log(1.05))},
                {1 << 20, against(0, 2, 0, std::log(1.07)), against(0, 22, 0, std::log(1.09))}};
  const auto part = [](std::size_t pairs, std::size_t differing, Json least, double half) {
    return Json{{"pairs", pairs},
                {"differing", differing},
                {"least_difference_called_percent", std::move(least)},
                {"median_half_width_percent", half}};
  };
  const double two = 100 * std::expm1(0.02), four = 100 * std::expm1(0.04);
  const auto rounded = [](Json json) {
    for (Json& value : json = json.flatten())
      if (value.is_number_float()) value = std::round(value.get<double>() * 1e6) / 1e6;
    return json.unflatten();
  };
  EXPECT_EQ(rounded(to_json(test)), rounded({{"schema", 1},
                                             {"runs", {"one", "two"}},
                                             {"threshold_percent", 1.0},
                                             {"processes", 12},
                                             {"pairs", 50},
                                             {"differing", 4},
                                             {"differing_percent", 8.0},
                                             {"disjoint_intervals_between_runs", 5},
                                             {"between_runs", part(50, 4, two, two)},
                                             {"within_a_run", part(20, 3, four, four)},
                                             {"sizes",
                                              {{{"n", 1 << 18},
                                                {"between_runs", part(30, 1, 3.0, 3.0)},
                                                {"within_a_run", part(21, 2, 5.0, 5.0)}},
                                               {{"n", 1 << 20},
                                                {"between_runs", part(2, 0, nullptr, 7.0)},
                                                {"within_a_run", part(22, 0, 9.0, 9.0)}}}}}));
  const std::string text = markdown(test, "T");
  for (const char* row :
       {"| 256Ki | 30 | 3.0 | 3.0 | 21 | 5.0 | 5.0 |\n", "| 1Mi | 2 | - | 7.0 | 22 | 9.0 | 9.0 |\n",
        "50 pairs of the same kernel, input and machine between 2 runs, 20 within one, from 12 processes",
        "differ: 4 of 50 between runs (8.0 %), 3 of 20 within one.", "disjoint: 5 of 50.",
        "are beyond 1 % and half"})
    EXPECT_THAT(text, HasSubstr(row));
}

TEST(SelfTestReport, WhatWasNotSampledTwiceIsNamed) {
  const StoredRun run = run_of("a", {measured("reduce/harris3", around_100)});
  EXPECT_EQ(usage_error([&] { self_test({run, run}, 1); }),
            "a: no case was sampled twice; --set measure.twice=true does it");
}

TEST(SelfTestReport, HalfAnIntervalIsHalfOfIt) {
  ComparedCase one;
  one.difference = Difference{.log_ratio = 0, .standard_error = 0.01, .freedom = 8};
  AgainstItself pairs;
  pairs.add(one);
  ASSERT_EQ(pairs.half_widths.size(), 1u);
  EXPECT_DOUBLE_EQ(pairs.half_widths[0], one.difference->interval(0.05).high) << "around 0";
}

AgainstItself pairs_of(std::vector<double> log_ratios, double half_width) {
  const std::size_t count = log_ratios.size();
  return {.log_ratios = std::move(log_ratios), .half_widths = std::vector<double>(count, half_width)};
}

TEST(LeastDifferenceCalled, HasEightyPercentPower) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> chance(0, 0.01);
  std::vector<double> log_ratios(4000);
  for (double& one : log_ratios) one = chance(random);
  const double half = 1.96 * 0.01;
  const std::optional<double> least = pairs_of(log_ratios, half).least_called(1);
  ASSERT_TRUE(least);
  // 80 % of a normal distribution are above its mean less 0.8416 deviations.
  EXPECT_NEAR(*least, half + 0.8416 * 0.01, 0.0005);
  int called = 0;
  for (int i = 0; i < 4000; ++i) called += *least + chance(random) > half;
  EXPECT_NEAR(called / 4000.0, 0.8, 0.03);
}

TEST(LeastDifferenceCalled, IsNoSmallerThanTheRuleAllows) {
  const std::vector<double> alike(20, 0.0);
  EXPECT_NEAR(*pairs_of(alike, 0.001).least_called(1), std::log(1.01), 1e-12) << "the threshold";
  EXPECT_NEAR(*pairs_of(alike, 0.03).least_called(1), 0.03, 1e-12) << "half an interval";
  AgainstItself few_wide = pairs_of(std::vector<double>(100, 0.0), 0.03);
  few_wide.half_widths[0] = INFINITY;
  EXPECT_NEAR(*few_wide.least_called(1), 0.03, 1e-12);
  EXPECT_FALSE(pairs_of(alike, INFINITY).least_called(1)) << "nothing is ever called";
}

// Each pair counts with both signs: 20 that are apart by 0, 0.01, ... 0.19 are called from half their
// interval, 0.5, less 0.19, ... 0.01, 0, and again 0, and more 0.01, ... 0.19. Of these 40 four fifths
// are 32.
TEST(LeastDifferenceCalled, IsTheFirstThatFourFifthsOfAllSignedPairsReach) {
  std::vector<double> apart;
  for (int percent = 0; percent < 20; ++percent) apart.push_back(percent / 100.0);
  EXPECT_NEAR(*pairs_of(apart, 0.5).least_called(1), 0.5 + 0.11, 1e-12);
}

TEST(LeastDifferenceCalled, IsNotToldOfFewPairs) {
  EXPECT_FALSE(pairs_of({0}, 0.001).least_called(1));
  EXPECT_FALSE(pairs_of(std::vector<double>(19, 0.0), 0.001).least_called(1));
  EXPECT_TRUE(pairs_of(std::vector<double>(20, 0.0), 0.001).least_called(1));
}

/// A folder with runs in it.
class CompareCommand : public testing::Test {
 protected:
  std::string write(const std::string& name, const std::vector<Record>& records,
                    const Json& session = session_of()) {
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
  const std::string a = write("a", {measured("reduce/harris3", around_100)}, session_of("550")),
                    b = write("b", {measured("reduce/harris3", around_100)}, session_of("560"));
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
  refused(a + " " + folder_.path() + "/./a", "one run, named twice");
  refused(a + " " + b + " --across --json " + a + "/records.jsonl", "--json");
  folder_.write("a/tables/test.csv", "");
  refused(a + " " + b + " --across --json " + a + "/tables/test.csv", "it is a table of that run");
  refused(a + " " + b + " --across --json -", "/dev/stdout is standard output");
  const std::string twice = folder_.path() + "/x";
  refused(a + " " + b + " --across --json " + twice + " --md " + twice, "the file of --json");
  EXPECT_FALSE(std::filesystem::exists(twice));
  EXPECT_EQ(redbench("compare " + a + " " + b + " --across").exit_code, 0);
}

TEST(SelftestCommand, RunsAgainstItselfOnTheHost) {
  const TemporaryFolder folder;
  const std::string out = folder.path() + "/self";
  // Every case is sampled twice, whatever the config says: that is what a self-test is.
  const std::string command =
      "selftest -d host -b cpu_serial -a n=500,1000 --set measure.forks=2 --set measure.twice=false -q -o " +
      out;
  const Answer answer = redbench(command);
  ASSERT_EQ(answer.exit_code, 0) << answer.text;
  EXPECT_THAT(
      answer.text,
      HasSubstr("4 pairs of the same kernel, input and machine between 2 runs, 8 within one, from 4"));
  std::ifstream file(out + "/selftest.json");
  const Json json = Json::parse(file);
  EXPECT_EQ(json["pairs"], 4);
  EXPECT_EQ(json["sizes"].size(), 2u);
  EXPECT_TRUE(std::filesystem::exists(out + "/selftest.md"));
  std::set<std::string> tables;
  for (const auto& file : std::filesystem::directory_iterator(out + "/a/tables"))
    tables.insert(file.path().filename());
  EXPECT_EQ(tables, (std::set<std::string>{"selftest.csv", "selftest.md"})) << "as of any run without --json";
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
