// Numbers against the bounds of a claim, each derived by hand.
#include "src/claims/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/claims/claim_support.hpp"

namespace redbench {
namespace {

using enum ClaimVerdict;

Bounds above(double bound) { return {.above = bound, .below = {}, .equals = {}}; }
Bounds below(double bound) { return {.above = {}, .below = bound, .equals = {}}; }
Bounds both(double low, double high) { return {.above = low, .below = high, .equals = {}}; }
Bounds equals(double value) { return {.above = {}, .below = {}, .equals = value}; }

TEST(VerdictOn, TheWholeIntervalIsBeyondByTheLeastShare) {
  struct {
    Bounds bounds;
    double low, high, least;
    ClaimVerdict verdict;
  } const cases[] = {{above(2), 2.01, 3, 0, holds},
                     {above(2), 2, 3, 0, undecided},
                     {above(2), 2.13, 3, 0.06, holds},
                     {above(2), 1, 1.87, 0.06, fails},
                     {above(2), 1, 3, 0, undecided},
                     {below(2), 1, 1.99, 0, holds},
                     {below(2), 2.01, 3, 0, fails},
                     {both(1, 2), 1.1, 1.9, 0, holds},
                     {both(1, 2), 1.1, 2.1, 0, undecided},
                     {both(1, 2), 2.1, 2.2, 0, fails},
                     {both(1, 2), 0.1, 0.2, 0, fails},
                     // A share of a bound below zero is as wide as of the one above.
                     {above(-2), -1.4, -1, 0.25, holds},
                     {above(-2), -1.6, -1, 0.25, undecided},
                     {below(-2), -4, -2.6, 0.25, holds},
                     {below(-2), -4, -2.4, 0.25, undecided}};
  for (const auto& row : cases)
    EXPECT_EQ(
        verdict_on(row.bounds, {(row.low + row.high) / 2, Interval{row.low, row.high}, false}, row.least),
        row.verdict)
        << row.bounds.text() << ": " << row.low << " to " << row.high << ", " << row.least;
  EXPECT_EQ(verdict_on(above(2), {5, {}, false}, 0), undecided) << "without an interval";
}

// Of an exact number a billionth is left to rounding: of small ones of 1, of large ones of themselves.
TEST(VerdictOn, AnExactNumberIsOrIsNot) {
  for (const auto& [bounds, value, verdict] : {std::tuple(above(2), 2.0, fails),
                                               {above(2), 2.001, holds},
                                               {below(2), 2.0, fails},
                                               {below(2), 1.999, holds},
                                               {both(1, 3), 4.0, fails},
                                               {equals(1000), 1000 + 0.9e-6, holds},
                                               {equals(1000), 1000 + 1.1e-6, fails},
                                               {equals(0.5), 0.5 - 0.9e-9, holds},
                                               {equals(0.5), 0.5 - 1.1e-9, fails},
                                               {equals(-8), -8 - 7e-9, holds},
                                               {equals(-8), -8 + 9e-9, fails}})
    EXPECT_EQ(verdict_on(bounds, {value, {}, true}, 0.5), verdict) << bounds.text() << ": " << value;
}

/// Rounds of one process, or of several.
Difference one_process(double log_ratio) {
  std::vector<double> rounds;
  for (int i = -20; i <= 20; ++i) rounds.push_back(log_ratio + i * 1e-4);
  return {.log_ratio = log_ratio, .rounds = rounds};
}
Difference several(double log_ratio) {
  return {.log_ratio = log_ratio, .standard_error = 1e-4, .freedom = 4};
}

TEST(JudgedRatios, AreComparedWithTheBoundNotWithOne) {
  for (Difference (*const make)(double) : {one_process, several}) {
    const auto judged = [&](double ratio, const Bounds& bounds, double least = 0.01) {
      return judge_ratios({make(std::log(ratio))}, {least}, bounds).at(0);
    };
    for (const double bound : {0.5, 1.0, 3.0})
      for (const auto& [ratio, of_above, of_below] : {std::tuple(bound * 1.05, holds, fails),
                                                      {bound * 1.008, undecided, undecided},
                                                      {bound / 1.05, fails, holds},
                                                      {bound / 1.008, undecided, undecided}}) {
        EXPECT_EQ(judged(ratio, above(bound)).verdict, of_above) << ratio << " > " << bound;
        EXPECT_EQ(judged(ratio, below(bound)).verdict, of_below) << ratio << " < " << bound;
        EXPECT_EQ(judged(ratio, above(bound), 0.06).verdict, undecided) << "its own least difference";
        const Measured found = *judged(ratio, above(bound)).ratio;
        EXPECT_NEAR(found.value, ratio, 1e-9);
        EXPECT_NEAR(found.interval->low, 0.999 * ratio, 0.001 * ratio);
        EXPECT_NEAR(found.interval->high, 1.001 * ratio, 0.001 * ratio);
      }
    EXPECT_EQ(judged(1.3, both(1.2, 1.5)).verdict, holds);
    EXPECT_EQ(judged(1.1, both(1.2, 1.5)).verdict, fails);
    EXPECT_EQ(judged(1.6, both(1.2, 1.5)).verdict, fails);
    EXPECT_EQ(judged(1.5, both(1.2, 1.5)).verdict, undecided);
  }
  const std::vector<JudgedRatio> none = judge_ratios({std::nullopt, several(1)}, {0.01, 0.01}, above(1));
  EXPECT_FALSE(none[0].ratio);
  EXPECT_EQ(none[0].verdict, undecided);
  EXPECT_EQ(none[1].verdict, holds);
}

// Three ratios, one of which is no more than the upper bound: of the two that are beyond it more are wrong,
// so that their intervals are wider. The interval shown is that of the lower bound. 2.776 is Student's of four degrees
// of freedom.
TEST(JudgedRatios, HaveTheIntervalOfTheirFirstBound) {
  const std::vector<std::optional<Difference>> ratios{several(std::log(1.3)), several(std::log(2)),
                                                      several(std::log(0.5))};
  const auto judged = [&](const Bounds& bounds) { return judge_ratios(ratios, {0.01, 0.5, 0.01}, bounds); };
  const double half = 2.776445e-4;
  for (const Bounds& bounds : {above(1.2), both(1.2, 2)})
    for (const auto& [i, ratio] : {std::pair(0, 1.3), {1, 2.0}, {2, 0.5}}) {
      const JudgedRatio one = judged(bounds)[std::size_t(i)];
      ASSERT_TRUE(one.ratio);
      EXPECT_NEAR(one.ratio->value, ratio, 1e-9);
      EXPECT_FALSE(one.ratio->is_exact);
      EXPECT_NEAR(one.ratio->interval->low, ratio * std::exp(-half), 1e-8) << ratio;
      EXPECT_NEAR(one.ratio->interval->high, ratio * std::exp(half), 1e-8) << ratio;
    }
  EXPECT_LT(judged(below(2))[0].ratio->interval->low, 1.3 * std::exp(-1.1 * half));
  EXPECT_GT(judged(below(2))[0].ratio->interval->high, 1.3 * std::exp(1.1 * half));
  const auto verdicts = [&](const Bounds& bounds) {
    std::vector<ClaimVerdict> all;
    for (const JudgedRatio& one : judged(bounds)) all.push_back(one.verdict);
    return all;
  };
  EXPECT_EQ(verdicts(above(1.2)), (std::vector{holds, holds, fails})) << "2 / 1.2 is more than 1.5";
  EXPECT_EQ(verdicts(below(2)), (std::vector{holds, undecided, holds}));
  EXPECT_EQ(verdicts(both(1.2, 2)), (std::vector{holds, undecided, fails}));
  EXPECT_EQ(verdicts(above(1.4)), (std::vector{fails, undecided, fails})) << "2 / 1.4 is less than 1.5";
}

TEST(OverCases, EachStatisticIsOfTheValuesAndOfBothEnds) {
  const std::vector<Measured> cases{
      {10, Interval{9, 14}, false}, {2, Interval{1, 4}, false}, {3, Interval{2, 6}, false}};
  struct {
    Over over;
    double value, low, high;
  } const expected[] = {
      {Over::lowest, 2, 1, 4}, {Over::highest, 10, 9, 14}, {Over::median, 3, 2, 6}, {Over::mean, 5, 4, 8}};
  for (const auto& one : expected) {
    const Measured found = over_cases(one.over, cases);
    EXPECT_EQ(found.value, one.value) << int(one.over);
    ASSERT_TRUE(found.interval);
    EXPECT_EQ(found.interval->low, one.low) << int(one.over);
    EXPECT_EQ(found.interval->high, one.high) << int(one.over);
    EXPECT_FALSE(found.is_exact);
  }
  const Measured exact{4, {}, true};
  EXPECT_TRUE(over_cases(Over::mean, {exact, exact}).is_exact);
  EXPECT_FALSE(over_cases(Over::mean, {exact, exact}).interval);
  const Measured mixed = over_cases(Over::mean, {exact, {6, Interval{5, 8}, false}});
  EXPECT_EQ(mixed.interval->low, 4.5);
  EXPECT_EQ(mixed.interval->high, 6);
  EXPECT_FALSE(over_cases(Over::mean, {{6, {}, false}, {6, Interval{5, 8}, false}}).interval)
      << "of one process";
}

// Logarithms of x in steps of ln 2: 0, 1, 3, with a mean of 4/3, so -4/3, -1/3 and 5/3 from it, whose squares
// sum up to 14/3. Those of y: 0, 2 and 3 above the first, so the slope is (-2/3 + 15/3) / (14/3).
TEST(Slope, HasOfEachPointTheWorseHalfOfItsInterval) {
  const std::vector<Measured> y{{3, Interval{3 / 1.1, 3 * 1.2}, false},
                                {12, Interval{12 / 1.3, 12 * 1.05}, false},
                                {24, Interval{24 / 1.01, 24 * 1.02}, false}};
  const Measured slope = slope_of({5, 10, 40}, y, 0.03);
  EXPECT_NEAR(slope.value, 13.0 / 14, 1e-12);
  EXPECT_FALSE(slope.is_exact);
  double variance = 0;
  for (const auto& [weight, worse] : {std::pair(4.0, 1.2), {1.0, 1.3}, {5.0, 1.02}})
    variance += std::pow(weight / 14 / std::log(2) * (std::log(worse) + std::log(1.03)), 2);
  ASSERT_TRUE(slope.interval);
  EXPECT_NEAR(slope.interval->low, 13.0 / 14 - std::sqrt(variance), 1e-12);
  EXPECT_NEAR(slope.interval->high, 13.0 / 14 + std::sqrt(variance), 1e-12);
  std::vector<Measured> without = y;
  without[0].interval.reset();
  EXPECT_NEAR(slope_of({5, 10, 40}, without, 0.03).value, 13.0 / 14, 1e-12);
  EXPECT_FALSE(slope_of({5, 10, 40}, without, 0.03).interval);
}

}  // namespace
}  // namespace redbench
