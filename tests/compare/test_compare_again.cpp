// A run against itself, of records that have a second series, none, or no times in it; and differences of few
// rounds.
#include <gmock/gmock.h>

#include <cmath>

#include "src/compare/comparison.hpp"
#include "tests/compare_support.hpp"
#include "tests/support.hpp"

namespace redbench {
namespace {

/// Sampled twice, the second time slower by `factor`.
Record twice(Index n, double factor = 1) {
  Record record = measured("reduce/harris3", around_100, n);
  record["again_ns"] = measured("reduce/harris3", times(factor), n)["samples_ns"];
  record["trace"] = {{"a", 1}};
  return record;
}

Record with(Record record, const char* field, const Json& value) {
  record[field] = value;
  return record;
}

// Whoever wrote the file: what is no list of lists of times above 0 is not compared, and is undecided.
TEST(CompareAgain, TakesTheSecondSeriesOfEachCaseThatHasOne) {
  const StoredRun run =
      run_of("folder", {twice(1024), with(twice(2048), "again_ns", nullptr), twice(4096, 1.05),
                        twice(8192, 0.9), with(twice(16384), "again_ns", Json::array({{100.0, "x"}})),
                        with(twice(32768), "samples_ns", Json::array({{100.0, "x"}})),
                        with(twice(65536), "again_ns", Json::array({{100.0, 0.0}})),
                        with(twice(131072), "again_ns", Json::array({100.0})),
                        with(twice(262144), "samples_ns", nullptr), with(twice(524288), "again_ns", "x")});
  const Comparison found = compare_again(run, {.threshold_percent = 2});
  EXPECT_EQ(found.first, "folder");
  EXPECT_EQ(found.second, "folder, again");
  EXPECT_FALSE(found.of_variants);
  EXPECT_EQ(found.threshold_percent, 2);
  EXPECT_EQ(found.gone, 0u);
  EXPECT_TRUE(found.remarks.empty());
  std::string cases;
  for (const ComparedCase& one : found.cases) {
    cases += one.record["n"].dump() + " " + one.first_ns.dump() + " " + one.second_ns.dump() + " ";
    cases += one.difference ? fmt::format("{:.4f} ", one.difference->log_ratio) : "- ";
    cases += std::string(name_of(one.judged.verdict)) + "\n";
    for (const char* left_out : {"samples_ns", "again_ns", "trace"})
      EXPECT_FALSE(one.record.contains(left_out)) << left_out;
    EXPECT_EQ(one.record["variant"], "reduce/harris3");
    EXPECT_TRUE(one.notes.empty());
    EXPECT_FALSE(one.is_lost);
  }
  // ln 1.05 and ln 0.9
  EXPECT_EQ(cases,
            "1024 100000.0 null 0.0000 same\n"
            "4096 100000.0 null 0.0488 slower\n"
            "8192 100000.0 null -0.1054 faster\n"
            "16384 100000.0 null - undecided\n"
            "32768 100000.0 null - undecided\n"
            "65536 100000.0 null - undecided\n"
            "131072 100000.0 null - undecided\n"
            "262144 100000.0 null - undecided\n");
  EXPECT_EQ(found.summary(), "1 faster, 1 slower, 1 same, 5 undecided: 2 of 8 pairs differ");
}

TEST(CompareAgain, IsRefusedWhereNothingWasSampledTwice) {
  const StoredRun run = run_of("folder", {measured("reduce/harris3", around_100)});
  EXPECT_EQ(usage_error([&] { compare_again(run, {}); }),
            "folder: no case was sampled twice; --set measure.twice=true does it");
}

TEST(ExitCode, IsOfWhatWasFound) {
  const auto of = [](std::vector<Verdict> verdicts, bool lost, std::size_t gone) {
    Comparison comparison{.first = "a", .second = "b", .gone = gone};
    for (const Verdict verdict : verdicts) {
      ComparedCase one;
      one.judged.verdict = verdict;
      comparison.cases.push_back(one);
    }
    if (lost) comparison.cases.back().is_lost = true;
    return std::pair(exit_code_of(comparison, false), exit_code_of(comparison, true));
  };
  using enum Verdict;
  const auto fine = int(exit_fine), failed = int(exit_failed), open = int(exit_undecided);
  EXPECT_EQ(of({same, faster}, false, 0), std::pair(fine, fine));
  EXPECT_EQ(of({same, undecided}, false, 0), std::pair(fine, open));
  EXPECT_EQ(of({undecided, undecided}, false, 0), std::pair(open, open));
  EXPECT_EQ(of({same, slower, undecided}, false, 0), std::pair(fine, failed));
  EXPECT_EQ(of({same, undecided}, true, 0), std::pair(fine, failed));
  EXPECT_EQ(of({undecided}, true, 0), std::pair(open, failed));
  EXPECT_EQ(of({same}, false, 1), std::pair(fine, failed));
}

// One round is one; where the numbers of rounds differ, the last of each is of the same.
TEST(PairedDifference, OfOneRound) {
  const std::optional<Difference> one = paired_difference({{1000}}, {{1040}});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->rounds, std::vector<double>{std::log(1040.0 / 1000)});
  EXPECT_EQ(one->log_ratio, std::log(1040.0 / 1000));
  EXPECT_TRUE(one->of_one_process());
  EXPECT_EQ(paired_difference({{1000, 2000, 500}}, {{1040}})->rounds,
            std::vector<double>{std::log(1040.0 / 500)});
  EXPECT_EQ(paired_difference({{1000, 2000}}, {{1040, 1900, 1800}})->rounds,
            (std::vector<double>{std::log(1800.0 / 2000), std::log(1040.0 / 1000)}))
      << "sorted";
  EXPECT_FALSE(paired_difference({{1000}}, {{}}));
  EXPECT_FALSE(paired_difference({}, {{1000}}));
  // A fork that has none of both is left out.
  EXPECT_EQ(paired_difference({{1000}, {}}, {{1040}, {1000}})->rounds.size(), 1u);
}

// Twice the chance of so few on one side, and no more than 1.
TEST(Difference, TheSignTestCountsEachSide) {
  const auto p = [](std::vector<double> rounds) {
    return Difference{.log_ratio = 1, .tick = 0.5, .rounds = std::move(rounds)}.p();
  };
  EXPECT_DOUBLE_EQ(p({1, 2, 3, 4, 5}), 2 / 32.0);
  EXPECT_DOUBLE_EQ(p({-5, -4, -3, -2, -1}), 2 / 32.0);
  EXPECT_DOUBLE_EQ(p({-1, 2, 3, 4, 5}), 2 * (1 + 5) / 32.0);
  EXPECT_DOUBLE_EQ(p({0, 2, 3, 4, 5}), 2 * (1 + 5) / 32.0) << "0 is on the smaller side";
  EXPECT_EQ(p({-1, 3}), 1) << "twice 3 / 4";
  EXPECT_EQ(p({0, 0, 5}), 1);
}

// An interval that ends at the threshold on both sides is within it, one that is wider on either side is not.
TEST(Judge, TheThresholdIsPartOfTheSame) {
  const double threshold = std::log1p(0.01);
  const auto verdict = [](double log_ratio, double tick) {
    return judge({Difference{.log_ratio = log_ratio, .tick = tick, .standard_error = 1e-9, .freedom = 8}}, 1)
        .at(0)
        .verdict;
  };
  EXPECT_EQ(verdict(0, threshold), Verdict::same);
  EXPECT_EQ(verdict(0, threshold * 1.001), Verdict::undecided);
  EXPECT_EQ(verdict(threshold / 2, threshold * 0.6), Verdict::undecided);
  EXPECT_EQ(verdict(-threshold / 2, threshold * 0.6), Verdict::undecided);
  EXPECT_EQ(verdict(threshold / 2, threshold * 0.4), Verdict::same);
}

}  // namespace
}  // namespace redbench
