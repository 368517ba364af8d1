// The median, its interval, and when sampling ends: against tables and samples worked out by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

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

// The ends of an interval do not pass each other, whatever it may miss.
TEST(StopRule, RanksAreInTheLowerHalf) {
  std::vector<int> ranks;
  for (int count = 0; count < 9; ++count) ranks.push_back(median_rank(count, 2));
  EXPECT_EQ(ranks, (std::vector<int>{-1, -1, 0, 0, 1, 1, 2, 2, 3}));
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

TEST(StopRule, TooFewSamplesHaveTheirExtremes) {
  EXPECT_EQ(median_of(std::vector<double>(8, 0.0)).noise_percent(), 0) << "what takes no time has no noise";
  const Median few = median_of({40, 10, 20});
  EXPECT_EQ(few.value, 20);
  EXPECT_EQ(few.low, 10);
  EXPECT_EQ(few.high, 40);
  EXPECT_FALSE(few.covered);
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

TEST(StopRule, LooksAreAtTheMinimumItsDoublesAndTheMaximum) {
  EXPECT_EQ(checkpoints(MeasureOptions()), (std::vector<int>{10, 20, 40, 80, 160, 200}));
  EXPECT_EQ(checkpoints(limits()), (std::vector<int>{8, 16, 20}));
  MeasureOptions once = limits();
  once.min_samples = once.max_samples = 8;
  EXPECT_EQ(checkpoints(once), std::vector<int>{8});
  EXPECT_DOUBLE_EQ(error_of_a_look(limits()), 0.05 / 3);
}

TEST(StopRule, StopsWhenPreciseAtALookOnly) {
  // At 5 %/3 the interval of 8 samples is their range: P(all on one side) = 2/256 = 0.8 %.
  EXPECT_EQ(should_stop(std::vector<double>(7, 1.0), 0, limits()), Stop::no);
  EXPECT_EQ(should_stop(std::vector<double>(8, 1.0), 0, limits()), Stop::precise);
  EXPECT_EQ(should_stop(std::vector<double>(9, 1.0), 0, limits()), Stop::no) << "between two looks";
  EXPECT_EQ(should_stop(std::vector<double>(16, 1.0), 0, limits()), Stop::precise);
}

TEST(StopRule, ALookAsksForMoreThanALoneInterval) {
  // Of 10 samples the second lowest and highest bound 95 %, but not 98.3 %.
  MeasureOptions options = limits();
  options.min_samples = 10;
  options.max_samples = 40;
  std::vector<double> samples(8, 100.0);
  samples.push_back(50);
  samples.push_back(150);
  EXPECT_DOUBLE_EQ(median_of(samples).noise_percent(), 0);
  EXPECT_EQ(should_stop(samples, 0, options), Stop::no);
}

TEST(StopRule, FewSamplesAreNeverPrecise) {
  MeasureOptions options = limits();
  options.min_samples = options.max_samples = 5;
  EXPECT_EQ(should_stop(std::vector<double>(5, 1.0), 0, options), Stop::max_samples);
  options.min_samples = options.max_samples = 6;
  EXPECT_EQ(should_stop(std::vector<double>(6, 1.0), 0, options), Stop::precise);
}

/// How often the interval at the end holds the true median of samples that come until `stops` says so.
template <class Stops>
double coverage(double error, const Stops& stops) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(100, 1);
  constexpr int trials = 4000;
  int held = 0;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<double> samples;
    do samples.push_back(noise(random));
    while (!stops(samples));
    const Median median = median_of(samples, error);
    held += median.low <= 100 && 100 <= median.high;
  }
  return double(held) / trials;
}

// Stopping at the first narrow interval prefers those that are narrow by chance.
TEST(StopRule, IntervalsHoldWhereSamplingStopsByThem) {
  MeasureOptions options;
  options.max_noise = 0.4;
  EXPECT_GT(coverage(error_of_a_look(options),
                     [&](const auto& samples) { return should_stop(samples, 0, options) != Stop::no; }),
            0.95);
  const auto after_each = [&](const std::vector<double>& samples) {
    return samples.size() >= 10 &&
           (samples.size() >= 200 || median_of(samples).noise_percent() <= options.max_noise);
  };
  EXPECT_LT(coverage(interval_error, after_each), 0.95) << "a look after each sample, as if there were one";
}

// In the order in which they ended. Mean 13.2, squares 50.8: 2.7764 x sqrt(12.7 / 5) = 4.4249.
TEST(StopRule, ForksHaveStudentsInterval) {
  const Median time = median_of_forks({10, 14, 19, 11, 12});
  EXPECT_DOUBLE_EQ(time.value, 12);
  EXPECT_NEAR(time.low, 13.2 - 4.4249, 1e-4);
  EXPECT_NEAR(time.high, 13.2 + 4.4249, 1e-4);
  EXPECT_TRUE(time.covered);
  EXPECT_FALSE(median_of_forks({10}).covered);
}

// Runs of a second that are a few nanoseconds apart: squares of the numbers themselves would lose them.
// Mean 1 s and 8/3 ns, squares 26 / 3: Student's 4.302653 x sqrt(13 / 9) = 5.17114.
TEST(StopRule, LongTimesOfForksHaveNarrowIntervals) {
  const Median time = median_of_forks({1e9 + 1, 1e9 + 5, 1e9 + 2});
  EXPECT_EQ(time.value, 1e9 + 2);
  EXPECT_NEAR(time.low, 1e9 + 8.0 / 3 - 5.17114, 1e-3);
  EXPECT_NEAR(time.high, 1e9 + 8.0 / 3 + 5.17114, 1e-3);
  EXPECT_NEAR(time.noise_percent(), 5.17114e-7, 1e-9);
}

TEST(StopRule, TenthsAreRounded) {
  EXPECT_EQ(in_tenths({12.34, 12.36, 0.05, 0.04, 100}), (std::vector<double>{12.3, 12.4, 0.1, 0, 100}));
}

TEST(StopRule, TheForksIntervalHoldsTheirMedian) {
  std::vector<double> one_far(19, 100.0);
  one_far.push_back(1000);
  const Median time = median_of_forks(one_far);
  EXPECT_DOUBLE_EQ(time.value, 100);
  EXPECT_LE(time.low, 100);
}

TEST(StopRule, TheTickIsTheClosestTwo) {
  EXPECT_DOUBLE_EQ(tick_of({64, 0, 32, 128, 32}), 32);
  EXPECT_DOUBLE_EQ(tick_of({5, 5, 5}), 0);
  EXPECT_DOUBLE_EQ(tick_of({107, 3, 50, 7}), 4) << "the lowest two";
  EXPECT_DOUBLE_EQ(tick_of({8, 100, 60, 103}), 3) << "the highest two";
  EXPECT_DOUBLE_EQ(tick_of({8}), 0);
  std::vector<double> taken_out{8, 40, 41};
  taken_out.pop_back();
  EXPECT_DOUBLE_EQ(tick_of(std::move(taken_out)), 32) << "what lies behind the last is none";
}

// The interval of 8 samples is their range: 2 % of the median, and half of it is noise.
TEST(StopRule, ExactlyTheNoiseThatIsAllowedIsPrecise) {
  const std::vector<double> samples{99, 100, 100, 100, 100, 100, 100, 101};
  EXPECT_DOUBLE_EQ(median_of(samples, error_of_a_look(limits())).noise_percent(), 1);
  EXPECT_EQ(should_stop(samples, 0, limits()), Stop::precise);
  MeasureOptions less = limits();
  less.max_noise = 0.999;
  EXPECT_EQ(should_stop(samples, 0, less), Stop::no);
}

TEST(StopRule, NoisySamplesStopAtTheirLimits) {
  std::vector<double> noisy;
  for (int i = 0; i < 19; ++i) noisy.push_back(i % 2 ? 100 : 200);
  EXPECT_EQ(should_stop(noisy, 2.999, limits()), Stop::no);
  EXPECT_EQ(should_stop(noisy, 3, limits()), Stop::timeout);
  noisy.push_back(150);
  EXPECT_EQ(should_stop(noisy, 0, limits()), Stop::max_samples);
  EXPECT_EQ(should_stop({}, 100, limits()), Stop::no) << "one sample is always taken";
}

// Two forks that are far apart: Student's interval would begin at 20 - 12.7 * 10, which no record may hold.
TEST(StopRule, ATimeOfForksIsNotNegative) {
  const Median median = median_of_forks({10, 30});
  EXPECT_EQ(median.low, 0);
  EXPECT_NEAR(median.high, 20 + 127.06, 0.01);
}

}  // namespace
}  // namespace redbench
