// What a run differs from itself by: pairs counted by hand, and the least difference that is called.
#include "src/compare/self_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/compare_support.hpp"
#include "tests/golden.hpp"
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

TEST(SelfTest, CountsPairsAndWhatIsTakenForADifference) {
  // Between the runs: harris3 alike, harris7 5 % apart, so disjoint, too. Within b: harris7 3 % apart.
  const std::vector<double> rising{99800, 99900, 100000, 100100, 100200};
  const StoredRun a = run_of(
      "a", {twice("reduce/harris3", rising, rising, 1024), twice("reduce/harris7", rising, rising, 2048)});
  const StoredRun b =
      run_of("b", {twice("reduce/harris3", rising, rising, 1024),
                   twice("reduce/harris7", times(1.05, rising), times(1.05 * 1.03, rising), 2048)});
  const SelfTest test = self_test({a, b}, 1.5);
  EXPECT_EQ(test.threshold_percent, 1.5);
  EXPECT_EQ(test.between.pairs(), 2u);
  EXPECT_EQ(test.between.differing, 1u);
  EXPECT_EQ(test.within.pairs(), 4u);
  EXPECT_EQ(test.within.differing, 1u);
  EXPECT_EQ(test.disjoint, 1u);
  EXPECT_EQ(test.differing_percent(), 50) << "of the pairs between runs";
  EXPECT_EQ(test.processes, 10u);
  ASSERT_EQ(test.sizes.size(), 2u);
  EXPECT_EQ(test.sizes[0].n, 1024u);
  EXPECT_EQ(test.sizes[1].between.differing, 1u);
  const SelfTest of_three = self_test({a, a, a}, 1);
  EXPECT_EQ(of_three.between.pairs(), 6u) << "each run with each other";
  EXPECT_EQ(of_three.within.pairs(), 6u);
  EXPECT_EQ(usage_error([&] { self_test({run_of("a", {measured("reduce/harris3", around_100)})}, 1); }),
            "a: no case was sampled twice; --set measure.twice=true does it");
}

// All of b and c takes 1.1 times as long as in a; harris7 of c, a third machine, 5 % more. d is another
// model, e is a again. Of f nobody knows.
TEST(SelfTest, OtherSelfTestsOfOneModelAreComparedByTimesAndByQuotients) {
  const auto machine = [](const Json& hash, const char* hardware, double factor, double of_harris7) {
    std::vector<Record> records{twice("reduce/cub", times(factor), times(factor), 1024),
                                twice("reduce/harris3", times(factor), times(factor), 1024),
                                twice("reduce/harris7", times(factor * of_harris7), times(factor), 1024)};
    records[0]["library"] = true;
    for (Record& record : records) record["hardware"] = hardware;
    Json session = session_of();
    session["board"]["uuid_hash"] = hash;
    return run_of("run", records, session);
  };
  const StoredRun a = machine("a", "H200", 1, 1), b = machine("b", "H200", 1.1, 1),
                  c = machine("c", "H200", 1.1, 1.05), d = machine("d", "H100", 1, 2),
                  e = machine("a", "H200", 1.05, 1), f = machine(nullptr, "H200", 1, 1);
  const SelfTest test = self_test({a, a}, 1, {{b}, {c, c}, {d}});
  EXPECT_EQ(test.machines, 4u);
  EXPECT_EQ(test.between.pairs(), 3u) << "of one machine";
  EXPECT_EQ(test.across.pairs(), 3u * (2 + 4 + 2)) << "a with b and c, b with c";
  EXPECT_EQ(test.across.differing, 3u * (2 + 4) + 2) << "b and c differ in harris7";
  EXPECT_EQ(test.quotients.pairs(), 2u * (2 + 4 + 2)) << "cub is what others are divided by";
  EXPECT_EQ(test.quotients.differing, 4u + 2u);
  EXPECT_EQ(test.sizes[0].quotients.differing, 6u);
  EXPECT_EQ(test.again.pairs(), 0u);
  const SelfTest again = self_test({a, a}, 1, {{e}, {f}});
  EXPECT_EQ(again.machines, 2u) << "a, and f, which may be another";
  EXPECT_EQ(again.again.pairs(), 3u * 2);
  EXPECT_EQ(again.sizes[0].again.differing, 3u * 2);
  EXPECT_EQ(again.across.pairs(), 3u * 3) << "f with a, a and e";
}

TEST(SelfTest, IntervalsOfOneCaseAreDisjointOnEitherSide) {
  const auto disjoint = [](const Json& low, const Json& high, const Json& other_low, const Json& other_high,
                           const char* mode = "cold") {
    Record first = twice("reduce/harris3", around_100, around_100, 1024), second = first;
    first.update({{"time_low_ns", low}, {"time_high_ns", high}});
    second.update({{"time_low_ns", other_low}, {"time_high_ns", other_high}, {"mode", mode}});
    Record shared = twice("reduce/harris7", around_100, around_100, 1024);
    shared["time_low_ns"] = nullptr;
    return self_test({run_of("a", {first, shared}), run_of("b", {second, shared})}, 1).disjoint;
  };
  EXPECT_EQ(disjoint(1, 2, 3, 4), 1u);
  EXPECT_EQ(disjoint(3, 4, 1, 2), 1u);
  EXPECT_EQ(disjoint(1, 2, 2, 3), 0u);
  EXPECT_EQ(disjoint(1, 4, 2, 3), 0u);
  EXPECT_EQ(disjoint(1, 2, 3, 4, "warm"), 0u) << "another case";
  EXPECT_EQ(disjoint(1, nullptr, 3, 4), 0u) << "an interval without an end is none";
  EXPECT_EQ(disjoint(1, 2, nullptr, 4), 0u);
}

TEST(SelfTest, IsShownAsInTheGoldenFile) {
  SelfTest test;
  test.runs = {"one", "two", "three"};
  test.threshold_percent = 1.5;
  test.processes = 12;
  test.disjoint = 5;
  const auto against = [](std::size_t differing, std::size_t count, double half_width) {
    return AgainstItself{differing, std::vector<double>(count, 0.0), std::vector<double>(count, half_width)};
  };
  test.between = against(4, 50, 0.02);
  test.within = against(3, 20, 0.04);
  test.sizes = {{1 << 18, against(1, 30, std::log(1.03)), against(2, 21, std::log(1.05))},
                {1 << 20, against(0, 2, std::log(1.07)), against(0, 22, std::log(1.11))}};
  test.machines = 3;
  test.across = against(6, 40, 0.05);
  test.quotients = against(1, 36, 0.03);
  test.sizes[0].across = against(0, 22, std::log(1.09));
  Json json = nlohmann::ordered_json(to_json(test)).flatten();
  for (Json& value : json)
    if (value.is_number_float()) value = std::round(value.get<double>() * 1e6) / 1e6;
  expect_golden("compare/self_test.txt", "== terminal\n" + text_of(test, 0) + "\n== Markdown\n" +
                                             markdown(test, "A | title") + "\n== JSON\n" +
                                             nlohmann::ordered_json(json).unflatten().dump(1));
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
  EXPECT_FALSE(pairs_of(std::vector<double>(19, 0.0), 0.001).least_called(1)) << "fewer than 20 pairs";
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

}  // namespace
}  // namespace redbench
