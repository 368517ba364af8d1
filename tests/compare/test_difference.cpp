// How far apart two series are: numbers derived by hand, and what chance alone makes of many.
#include "src/compare/difference.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace redbench {
namespace {

/// So many samples of each of these times: their median.
Samples steady(const std::vector<double>& times, int samples = 3) {
  Samples forks;
  for (const double time : times) forks.emplace_back(samples, time);
  return forks;
}

TEST(UnpairedDifference, IsWelchsOfTheForksLogarithms) {
  // Logarithms, in thousandths: 1, 2, 3 against 3, 5. The means are 2 and 4, the
  // variances of the means 1/3 and 1, the freedom (4/3)² / ((1/3)²/2 + 1²/1) = 1.684.
  const auto e = [](double x) { return 1e6 * std::exp(x * 1e-3); };
  Samples first = steady({e(1), e(2), e(3)}), second = steady({e(3), e(5)});
  first[0][0] += 1;  // a tick of 1 ns
  const std::optional<Difference> found = unpaired_difference(first, second);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->log_ratio, 2e-3, 1e-12);
  EXPECT_NEAR(found->standard_error, 1e-3 * std::sqrt(4.0 / 3), 1e-9);
  EXPECT_NEAR(found->freedom, 1.6842, 1e-3);
  EXPECT_NEAR(found->tick, 1e-6, 1e-8);
  const Interval interval = found->interval(0.05);
  EXPECT_NEAR(interval.high - found->log_ratio, found->log_ratio - interval.low, 1e-12);
  // Student's quantile of 1.6842 degrees, by numerical integration.
  EXPECT_NEAR((interval.high - interval.low) / 2 / found->standard_error, 5.1763, 2e-3);
}

// Variances of 9 and 16 millionths with four degrees of freedom each: 25² / (81 / 4 + 256 / 4) = 7.418.
TEST(DifferenceOf, TwoDifferencesIsWelchsAndOfOneProcessThereIsNone) {
  const Difference first{.log_ratio = 0.02, .tick = 1e-4, .standard_error = 3e-3, .freedom = 4},
      second{.log_ratio = 0.07, .tick = 2e-4, .standard_error = 4e-3, .freedom = 4};
  const std::optional<Difference> moved = difference_of(first, second);
  ASSERT_TRUE(moved);
  EXPECT_NEAR(moved->log_ratio, 0.05, 1e-12);
  EXPECT_NEAR(moved->tick, 3e-4, 1e-12);
  EXPECT_NEAR(moved->standard_error, 5e-3, 1e-12);
  EXPECT_NEAR(moved->freedom, 7.418, 1e-3);
  const Difference of_one{.log_ratio = 0.02, .rounds = {0.02}};
  EXPECT_FALSE(difference_of(first, of_one));
  EXPECT_FALSE(difference_of(of_one, first));
}

// A fork's first and last samples, its mean and its extremes are no measure of it.
TEST(Differences, AForkIsItsMedian) {
  const auto fork = [](double median) {
    return std::vector<double>{9 * median, median, median / 4, median * 1.5, median / 3, median, median / 2};
  };
  const Samples first{fork(1000), fork(1010), fork(1020)}, second{fork(2000), fork(2020), fork(2040)};
  EXPECT_NEAR(unpaired_difference(first, second)->log_ratio, std::log(2), 1e-12);
  EXPECT_NEAR(paired_difference(first, second)->log_ratio, std::log(2), 1e-12);
  const Samples last{{1000, 1000, 5000}, {1000, 1000, 7000}},
      steady_forks{{1000, 1000, 1000}, {1000, 1000, 1000}};
  EXPECT_NEAR(unpaired_difference(last, steady_forks)->log_ratio, 0, 1e-12);
  EXPECT_NEAR(unpaired_difference({{5000, 1000, 1000}, {7000, 1000, 1000}}, steady_forks)->log_ratio, 0,
              1e-12);
}

TEST(UnpairedDifference, OneProcessIsNotCompared) {
  EXPECT_FALSE(unpaired_difference(steady({1000}), steady({1000, 1001})));
  EXPECT_FALSE(unpaired_difference(steady({1000, 1001}), steady({1000})));
  EXPECT_TRUE(unpaired_difference(steady({1000, 1001}), steady({1000, 1001})));
}

TEST(UnpairedDifference, OfSamplesThatAreAllAlikeHasNoVariance) {
  const std::optional<Difference> found =
      unpaired_difference(steady({1000, 1000, 1000}), steady({1000, 1000}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->freedom, 3) << "five processes less two means";
  EXPECT_EQ(found->standard_error, 0);
  EXPECT_EQ(found->tick, 0);
  EXPECT_EQ(found->p(), 1);
}

TEST(PairedDifference, IsStudentsOfTheForksMedians) {
  // ln of the ratios' medians: 0.01, 0.02, 0.03; their mean 0.02 with an error of 0.01 / √3, Student's
  // quantile of two degrees 4.3027.
  const auto times = [](double x) { return std::vector<double>(3, 1e6 * std::exp(x)); };
  const Samples first{times(0), times(0.5), times(1)}, second{times(0.01), times(0.52), times(1.03)};
  const Difference found = *paired_difference(first, second);
  EXPECT_NEAR(found.log_ratio, 0.02, 1e-12);
  EXPECT_EQ(found.freedom, 2);
  EXPECT_NEAR(found.standard_error, 0.01 / std::sqrt(3), 1e-9) << "0.5 from fork to fork is in both";
}

TEST(PairedDifference, IsWithinRounds) {
  // Drift of a factor of 8, in which the second is always 1 % slower.
  Samples first(2), second(2);
  for (int fork = 0; fork < 2; ++fork)
    for (int round = 0; round < 20; ++round) {
      const double time = 1e6 * std::exp2(3 * round / 20.0);
      first[fork].push_back(time);
      second[fork].push_back(1.01 * time);
    }
  const Difference found = *paired_difference(first, second);
  EXPECT_NEAR(found.log_ratio, std::log(1.01), 1e-9);
  EXPECT_LT(found.standard_error, 1e-9 + found.tick);
}

TEST(PairedDifference, RoundsThatOneMissesAreLeftOut) {
  // The second ran out of time after two rounds, and came back for the last.
  const Samples first{{100, 200, 400, 800, 1600}}, second{{101, 202, 1616}};
  const Difference found = *paired_difference(first, second);
  ASSERT_EQ(found.rounds.size(), 3u);
  for (const double round : found.rounds) EXPECT_NEAR(round, std::log(1.01), 1e-9);
  EXPECT_TRUE(found.of_one_process());
  EXPECT_FALSE(paired_difference({{}}, {{1}}));
}

// Rounds in any order: ranks are those of the sorted ones. Of six the extremes hold 1 - 2 / 64, of five less
// than 95 %.
TEST(PairedDifference, OfOneProcessGoesByRanks) {
  const auto found = [](const std::vector<double>& logarithms) {
    Samples first(1), second(1);
    for (const double one : logarithms) {
      first[0].push_back(1e6);
      second[0].push_back(1e6 * std::exp(one));
    }
    first[0][0] += 1;
    return *paired_difference(first, second);
  };
  const Interval six = found({0.06, 0.01, 0.05, 0.02, 0.04, 0.03}).interval(0.05);
  EXPECT_NEAR(six.low, 0.01, 1e-5);
  EXPECT_NEAR(six.high, 0.06, 1e-5);
  EXPECT_TRUE(std::isinf(found({0.06, 0.01, 0.05, 0.02, 0.04, 0.03}).interval(0.03).high))
      << "2 / 64 is more";
  EXPECT_NEAR(found({0.06, 0.01, 0.05, 0.02, 0.04, 0.03}).log_ratio, 0.035, 1e-5);
  const Interval five = found({0.05, 0.01, 0.04, 0.02, 0.03}).interval(0.05);
  EXPECT_EQ(five.low, -INFINITY);
  EXPECT_EQ(five.high, INFINITY);
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

TEST(Difference, WithinTheTickThereIsNone) {
  // The clock tells 32 ns, of 3200: 1 %. All forks agree, so there is no other error.
  Samples first = steady({3200, 3200, 3200});
  first[0][0] = 3168;
  const Samples second = steady({3232, 3232, 3232});
  const Difference next = *unpaired_difference(first, second);
  EXPECT_EQ(next.p(), 1);
  EXPECT_LE(next.interval(0.05).low, 0);
  const Difference far = *unpaired_difference(first, steady({6400, 6400, 6400}));
  EXPECT_LT(far.p(), 0.01);
  const Difference none = *unpaired_difference(first, first);
  EXPECT_EQ(none.log_ratio, 0);
  EXPECT_EQ(none.p(), 1) << "not a number, where no sample differs from another";
  for (const double one_tick : {0.25, -0.25})
    EXPECT_EQ((Difference{.log_ratio = one_tick, .tick = 0.25, .standard_error = 0.01, .freedom = 4}.p()), 1)
        << "its interval ends at 0";
}

TEST(Difference, ForksThatAgreeAreRoundedAlike) {
  // Two and two, a clock of 32 ns and 64 ns apart: that they agree to the tick does not make the error 0. It
  // is that of rounding, 32 / √12 each: t = 6.9 with two degrees.
  Samples first = steady({3200, 3200});
  first[0][0] = 3168;
  const Difference found = *unpaired_difference(first, steady({3264, 3264}));
  EXPECT_NEAR(found.log_ratio / found.standard_error, 2 * std::sqrt(12), 0.15);
  EXPECT_GT(found.p(), 0.01);
  EXPECT_LT(found.p(), 0.05);
}

TEST(Difference, AnIntervalHasATickOnEitherSideAtLeast) {
  const Interval interval =
      Difference{.log_ratio = 0.2, .tick = 0.05, .standard_error = 0.001, .freedom = 9}.interval(0.05);
  EXPECT_DOUBLE_EQ(interval.low, 0.15);
  EXPECT_DOUBLE_EQ(interval.high, 0.25);
}

/// A series as a GPU gives it: a level for each process, noise in each sample, a clock of 32 ns.
Samples simulated(std::mt19937_64& random, double time, const std::vector<double>& levels) {
  std::normal_distribution<double> noise(0, 0.01);
  Samples forks;
  for (const double level : levels) {
    std::vector<double>& samples = forks.emplace_back();
    for (int i = 0; i < 40; ++i)
      samples.push_back(32 * std::round(time * std::exp(level + noise(random)) / 32));
  }
  return forks;
}

std::vector<double> levels(std::mt19937_64& random, double deviation, int forks = 5) {
  std::normal_distribution<double> level(0, deviation);
  std::vector<double> all;
  for (int i = 0; i < forks; ++i) all.push_back(level(random));
  return all;
}

constexpr int pairs = 2000;

/// Of 2000 pairs of series how many differ alone, by p <= 5 %, and together, by Benjamini-Hochberg.
struct Found {
  int alone = 0, together = 0;
};
template <class Pair>
Found found(const Pair& pair) {
  std::vector<std::optional<Difference>> differences;
  Found found;
  for (int i = 0; i < pairs; ++i) {
    differences.push_back(pair());
    found.alone += differences.back()->p() <= 0.05;
  }
  for (const Judged& one : judge(differences, 1)) found.together += differs(one.verdict);
  return found;
}

TEST(Chance, TwoRunsOfOneKernelDifferInFivePercentAlone) {
  std::mt19937_64 random(1);
  // 3 % from process to process, which pooled samples would take for a difference.
  const Found none = found([&] {
    return unpaired_difference(simulated(random, 6000, levels(random, 0.03)),
                               simulated(random, 6000, levels(random, 0.03)));
  });
  EXPECT_LE(none.alone, pairs * 0.06);
  EXPECT_GE(none.alone, pairs * 0.03) << "an interval that is too wide finds nothing";
  EXPECT_LE(none.together, pairs / 1000);
}

TEST(Chance, OneKernelTwiceInARunDiffersInFivePercentAlone) {
  std::mt19937_64 random(2);
  const auto twice = [&](int forks) {
    return found([&, forks] {
      const std::vector<double> common = levels(random, 0.03, forks);
      return paired_difference(simulated(random, 60000, common), simulated(random, 60000, common));
    });
  };
  for (const int forks : {1, 2, 5}) {
    const Found none = twice(forks);
    EXPECT_LE(none.alone, pairs * 0.06) << forks;
    EXPECT_LE(none.together, pairs / 1000) << forks;
  }
}

TEST(Chance, TwoPercentAreFound) {
  std::mt19937_64 random(3);
  const Found within = found([&] {
    const std::vector<double> common = levels(random, 0.03);
    return paired_difference(simulated(random, 60000, common), simulated(random, 1.02 * 60000, common));
  });
  EXPECT_GE(within.together, pairs * 0.95) << "whatever a process does to both";
  const Found between = found([&] {
    return unpaired_difference(simulated(random, 60000, levels(random, 0.003)),
                               simulated(random, 1.02 * 60000, levels(random, 0.003)));
  });
  EXPECT_GE(between.together, pairs * 0.95);
}

}  // namespace
}  // namespace redbench
