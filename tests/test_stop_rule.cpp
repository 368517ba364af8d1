// The median, its interval, and when sampling ends: against tables and samples worked out by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "src/measure/stop_rule.hpp"

namespace redbench {
namespace {

// Ranks (1-based) of the 95 % interval of a median, as in the printed tables of the sign test: the largest r
// with P(Binomial(n, 1/2) < r) <= 0.025.
TEST(StopRule, RanksAgreeWithPrintedTables) {
  const std::pair<int, int> printed[] = {{6, 1},   {8, 1},   {9, 2},   {10, 2},  {11, 2},
                                         {12, 3},  {15, 4},  {17, 5},  {20, 6},  {25, 8},
                                         {30, 10}, {40, 14}, {50, 18}, {70, 27}, {100, 40}};
  for (const auto& [count, rank] : printed) EXPECT_EQ(median_rank(count), rank - 1) << count << " samples";
}

TEST(StopRule, NoIntervalBelowSixSamples) {
  for (int count = 0; count < 6; ++count) EXPECT_LT(median_rank(count), 0) << count;
  const Median median = median_of({5, 5, 5, 5, 5});
  EXPECT_FALSE(median.covered);
  EXPECT_TRUE(std::isinf(median.noise_percent()));
}

TEST(StopRule, RanksStayDefinedWhereTwoToTheMinusCountUnderflows) {
  // Normal approximation: (n - 1.96 sqrt n) / 2 = 1000000 / 2 - 980 = 499020.
  EXPECT_NEAR(median_rank(1000000), 499020, 2);
}

TEST(StopRule, MedianOfKnownSamples) {
  // Sorted 1..10: median 5.5, ranks 2 and 9.
  const Median even = median_of({10, 1, 9, 2, 8, 3, 7, 4, 6, 5});
  EXPECT_DOUBLE_EQ(even.value, 5.5);
  EXPECT_DOUBLE_EQ(even.low, 2);
  EXPECT_DOUBLE_EQ(even.high, 9);
  EXPECT_DOUBLE_EQ(even.noise_percent(), 100 * 3.5 / 5.5);
  EXPECT_DOUBLE_EQ(median_of({3, 1, 2}).value, 2);
}

TEST(StopRule, AnOutlierDoesNotWidenTheInterval) {
  std::vector<double> samples(20, 100.0);
  samples[7] = 1e9;
  EXPECT_DOUBLE_EQ(median_of(samples).noise_percent(), 0);
}

MeasureOptions limits() {
  MeasureOptions options;
  options.min_samples = 8;
  options.max_samples = 20;
  options.max_noise = 1;
  options.timeout_s = 3;
  return options;
}

TEST(StopRule, StopsWhenPreciseButNotBeforeTheMinimum) {
  EXPECT_EQ(should_stop(std::vector<double>(7, 1.0), 0, limits()), Stop::no);
  EXPECT_EQ(should_stop(std::vector<double>(8, 1.0), 0, limits()), Stop::precise);
}

TEST(StopRule, FewSamplesAreNeverPrecise) {
  MeasureOptions options = limits();
  options.min_samples = 1;
  EXPECT_EQ(should_stop(std::vector<double>(5, 1.0), 0, options), Stop::no);
  EXPECT_EQ(should_stop(std::vector<double>(6, 1.0), 0, options), Stop::precise);
}

TEST(StopRule, NoisySamplesStopAtTheirLimits) {
  std::vector<double> noisy;
  for (int i = 0; i < 19; ++i) noisy.push_back(i % 2 ? 100 : 200);
  EXPECT_EQ(should_stop(noisy, 0, limits()), Stop::no);
  EXPECT_EQ(should_stop(noisy, 3.5, limits()), Stop::timeout);
  noisy.push_back(150);
  EXPECT_EQ(should_stop(noisy, 0, limits()), Stop::max_samples);
  EXPECT_EQ(should_stop({}, 100, limits()), Stop::no) << "one sample is always taken";
}

}  // namespace
}  // namespace redbench
