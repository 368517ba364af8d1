// Two variants of a run, and each case of a run with its second series, from hand-made records.
#include "src/compare/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "src/records/provenance.hpp"
#include "tests/compare_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

using testing::Contains;
using testing::ElementsAre;
using enum Verdict;

const Record harris3 = measured("reduce/harris3", around_100),
             harris7 = measured("reduce/harris7", around_100);
TEST(CompareVariants, ByTheDifferencesWithinRounds) {
  // Processes differ by 10 %, the variants by 2 % in each.
  const std::vector<double> levels{100000, 105000, 110000};
  const StoredRun run =
      run_of("a", {measured("reduce/harris3", levels), measured("reduce/harris7", times(0.98, levels))});
  const Comparison comparison = compare_variants(run, "harris3", "reduce/harris7", {});
  EXPECT_EQ(verdicts(comparison), std::vector{faster});
  EXPECT_NEAR(std::exp(comparison.cases[0].difference->log_ratio), 0.98, 1e-4);
  EXPECT_EQ(verdicts(compare_variants(run, "harris7", "harris3", {})), std::vector{slower});
}

TEST(CompareVariants, OneProcessIsSaidToBeOne) {
  Record a = measured("reduce/harris3", {100000}), b = measured("reduce/harris7", {100000});
  for (int i = 0; i < 20; ++i) {
    a["samples_ns"][0].push_back(100000 + i);
    b["samples_ns"][0].push_back(110000 + i);
  }
  const Comparison comparison = compare_variants(run_of("a", {a, b}), "harris3", "harris7", {});
  EXPECT_EQ(verdicts(comparison), std::vector{slower});
  EXPECT_EQ(comparison.cases[0].notes.back(), "of one process");

  b["samples_ns"] = a["samples_ns"];
  const Comparison alike = compare_variants(run_of("a", {a, b}), "harris3", "harris7", {});
  EXPECT_LT(alike.cases[0].judged.interval.high, 0.001);
  EXPECT_EQ(verdicts(alike), std::vector{undecided}) << "another process may rank them otherwise";
}

// Where either is swept, those are compared whose common parameters agree; a third variant is no matter.
TEST(CompareVariants, AtTheSamePoint) {
  const auto block = [](const Record& record, int value) {
    return with(record, "parameters", {{"block", value}});
  };
  const auto blocks = [](const std::vector<Record>& records) {
    std::vector<int> found;
    for (const ComparedCase& one : compare_variants(run_of("a", records), "harris3", "harris7", {}).cases)
      found.push_back(one.record["parameters"]["block"]);
    return found;
  };
  const Record three_64 = block(harris3, 64), three_128 = block(harris3, 128), seven_64 = block(harris7, 64),
               seven_128 = block(harris7, 128), other = measured("reduce/harris1", around_100);
  EXPECT_THAT(blocks({three_64, seven_128}), ElementsAre(64)) << "each with its default";
  EXPECT_THAT(blocks({three_64, seven_128, block(other, 32), block(other, 64)}), ElementsAre(64));
  EXPECT_THAT(blocks({three_64, three_128, seven_128}), ElementsAre(128));
  EXPECT_THAT(blocks({three_64, three_128, seven_64, seven_128}), ElementsAre(64, 128));
  EXPECT_THAT(blocks({three_64, with(seven_64, "parameters", {{"block", 64}, {"blocks", 1}}), seven_128}),
              ElementsAre(64));
  for (const auto& [field, value] : {std::pair("type", Json("f32")),
                                     {"operator", "min"},
                                     {"mode", "warm"},
                                     {"device", "host"},
                                     {"axes", {{"values", "ones"}}},
                                     {"n", 2048},
                                     {"seed", 2}})
    EXPECT_EQ(
        usage_error([&, field = field, value = value] { blocks({with(harris3, field, value), harris7}); }),
        "a: `harris3` and `harris7` have no case in common: same input, mode and device, with a time of "
        "either")
        << field;
  EXPECT_EQ(usage_error([&] { compare_variants(run_of("a", {harris3}), "harris3", "haris3", {}); }),
            "a: no record of a variant `haris3`; did you mean `harris3`?");
  EXPECT_EQ(usage_error([&] { compare_variants(run_of("a", {harris3}), "harris3", "harris3", {}); }),
            "--variants harris3 harris3: one variant, named twice");
}

TEST(CompareVariants, OtherSessionsAndPassesHaveOtherRounds) {
  const auto compared = [](const char* field, const Json& value) {
    StoredRun run = run_of("a", {with(harris3, "passes", {0, 0, 0, 0, 0}), with(harris7, field, value)});
    run.records[1][field] = value;
    run.facts["sessions"].push_back(session_of());
    return compare_variants(run, "harris3", "harris7", {});
  };
  EXPECT_EQ(compared("session", 1).cases[0].notes[0], "measured in two sessions, so in other rounds");
  StoredRun of_two_drivers = run_of("a", {harris3, harris7});
  of_two_drivers.records[1]["session"] = 1;
  of_two_drivers.facts["sessions"].push_back(session_of("560"));
  EXPECT_THAT(compare_variants(of_two_drivers, "harris3", "harris7", {}).cases[0].notes,
              Contains("other driver: 550 and 560"));
  EXPECT_EQ(compared("passes", {0, 1, 0, 0, 0}).cases[0].notes[0],
            "measured in two passes of their cell, as a process died, so in other rounds");
  EXPECT_EQ(verdicts(compared("passes", {0, 1, 0, 0, 0})), std::vector{undecided});
  EXPECT_EQ(verdicts(compared("passes", {0, 0, 0, 0, 0})), std::vector{same});
}

// Processes differ by 10 %, the records by 2 % in each: paired, the error is that of the rounds.
TEST(CompareRecords, AreOfTheSameRoundsInOnePassOfASessionOfARun) {
  const std::vector<double> levels{100000, 105000, 110000};
  const Record first = measured("reduce/harris3", levels),
               second = measured("reduce/harris7", times(0.98, levels));
  const auto is_paired = [&](const char* field, const Json& value) {
    Record other = second;
    if (field) other[field] = value;
    StoredRun run = run_of("a", {first, other});
    run.facts["sessions"].push_back(session_of());
    const ComparedCase one = compare_records({run, run.records[0]}, {run, run.records[1]}, "A", "B", true);
    EXPECT_NEAR(one.difference->log_ratio, std::log(0.98), 1e-4);
    return one.difference->standard_error < 1e-4;
  };
  EXPECT_TRUE(is_paired(nullptr, {}));
  EXPECT_TRUE(is_paired("parameters", {{"block", 64}}));
  EXPECT_FALSE(is_paired("session", 1));
  EXPECT_FALSE(is_paired("passes", {0, 1, 0}));
  EXPECT_FALSE(is_paired("n", 2048));
  EXPECT_FALSE(is_paired("mode", "warm"));
  const StoredRun run = run_of("a", {first}), other = run_of("b", {second});
  const ComparedCase apart =
      compare_records({run, run.records[0]}, {other, other.records[0]}, "A", "B", true);
  EXPECT_GT(apart.difference->standard_error, 0.01);
}

// The bug: a variant that fails where the other has a time was not listed.
TEST(CompareVariants, ACaseOfWhichOneHasATimeIsTold) {
  Record wrong = record_of("reduce/harris3", 2048, "wrong");
  wrong["reason"] = "result[0] is 0";
  const Comparison comparison = compare_variants(
      run_of("a", {measured("reduce/harris3", around_100), wrong, record_of("reduce/harris3", 4096, "wrong"),
                   record_of("reduce/harris7", 1024, "failed"), measured("reduce/harris7", times(2), 2048),
                   record_of("reduce/harris7", 4096, "wrong")}),
      "harris3", "harris7", {});
  ASSERT_EQ(comparison.cases.size(), 2u) << "of neither there is nothing to say";
  const ComparedCase &lost = comparison.cases[0], &won = comparison.cases[1];
  EXPECT_EQ(lost.first_ns, 100000);
  EXPECT_EQ(lost.second_ns, nullptr);
  EXPECT_THAT(lost.notes, ElementsAre("harris7 failed"));
  EXPECT_TRUE(lost.is_lost);
  EXPECT_EQ(won.first_ns, nullptr);
  EXPECT_EQ(won.second_ns, 200000);
  EXPECT_THAT(won.notes, ElementsAre("harris3 wrong: result[0] is 0"));
  EXPECT_FALSE(won.is_lost);
  EXPECT_EQ(comparison.summary(), "0 faster, 0 slower, 0 same, 2 undecided: 0 of 2 pairs differ");
}

TEST(CompareAgain, TakesTheSecondSeriesOfEachCaseThatHasOne) {
  const auto twice = [](Index n, double factor) {
    Record record = measured("reduce/harris3", around_100, n);
    record["again_ns"] = measured("reduce/harris3", times(factor), n)["samples_ns"];
    return record;
  };
  const StoredRun run =
      run_of("folder", {twice(1024, 1), with(twice(2048, 1), "again_ns", nullptr), twice(4096, 1.05),
                        twice(8192, 0.9), with(twice(16384, 1), "again_ns", Json::array({{100.0, "x"}})),
                        with(twice(32768, 1), "samples_ns", Json::array({{100.0, 0.0}}))});
  const Comparison found = compare_again(run, {.threshold_percent = 2});
  EXPECT_EQ(verdicts(found), (std::vector{same, slower, faster, undecided, undecided}));
  EXPECT_EQ(found.cases[1].record["n"], 4096);
  EXPECT_NEAR(found.cases[1].difference->log_ratio, std::log(1.05), 1e-5);
  EXPECT_EQ(usage_error([&] { compare_again(run_of("folder", {harris3}), {}); }),
            "folder: no case was sampled twice; --set measure.twice=true does it");
}

// A variant with both forms against another with both, whose parameters differ, and against one without parameters.
TEST(CompareVariants, TunedFormsWithTunedOnesAndBothWithWhatHasOne) {
  const auto tuned = [](const Record& record, int block) {
    return with(with(record, "parameters", {{"block", block}}), "tuned", true);
  };
  const Record library = with(measured("reduce/cub", around_100), "parameters", Json::object());
  const StoredRun run = run_of("a", {harris3, tuned(harris3, 64), harris7, tuned(harris7, 128), library});
  const auto forms = [&](const char* first, const char* second) {
    std::vector<Json> found;
    for (const ComparedCase& one : compare_variants(run, first, second, {}).cases)
      found.push_back({one.record["tuned"], one.record["parameters"]});
    return found;
  };
  const Json printed{false, {{"block", 256}}};
  EXPECT_THAT(forms("harris3", "harris7"), ElementsAre(printed, Json{true, Json::object()}));
  EXPECT_THAT(forms("cub", "harris7"), ElementsAre(printed, Json{true, {{"block", 128}}}));
  EXPECT_EQ(to_json(compare_variants(run, "cub", "harris7", {}))["cases"][1]["tuned"], true);
}

}  // namespace
}  // namespace redbench
