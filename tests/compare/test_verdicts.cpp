// Verdicts on many comparisons at once: Benjamini-Hochberg, and the Benjamini-Yekutieli intervals of what is
// found.
#include "src/compare/difference.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace redbench {
namespace {

using enum Verdict;

std::vector<Verdict> verdicts(const std::vector<std::optional<Difference>>& differences) {
  std::vector<Verdict> found;
  for (const Judged& one : judge(differences, 1)) found.push_back(one.verdict);
  return found;
}

Difference of(double log_ratio, double error) {
  return {.log_ratio = log_ratio, .standard_error = error, .freedom = 8};
}

TEST(RejectionLimit, IsBenjaminiAndHochbergs) {
  // Of 5 at 5 %: 0.01, 0.02, 0.03, 0.04, 0.05.
  EXPECT_EQ(rejection_limit({0.5, 0.02, 0.001, 0.029, 0.9}, 0.05), 0.029)
      << "0.02 <= 0.02, and 0.029 <= 0.03";
  EXPECT_EQ(rejection_limit({0.5, 0.021, 0.001, 0.031, 0.9}, 0.05), 0.001);
  EXPECT_EQ(rejection_limit({0.04, 0.04, 0.04, 0.04, 0.05}, 0.05), 0.05)
      << "the largest that holds, not the first that fails";
  EXPECT_LT(rejection_limit({0.5, 0.4}, 0.05), 0);
  EXPECT_LT(rejection_limit({}, 0.05), 0);
}

TEST(Judge, FasterSlowerSameUndecided) {
  EXPECT_EQ(verdicts({of(-0.05, 0.001), of(0.05, 0.001), of(0.001, 0.001), of(0.05, 0.1), std::nullopt}),
            (std::vector{faster, slower, same, undecided, undecided}));
  // Certainly not 0, but within the threshold: the same. About the threshold: not known.
  EXPECT_EQ(verdicts({of(0.005, 0.0001)}), (std::vector{same}));
  for (const double near : {0.0095, -0.0095})
    EXPECT_EQ(verdicts({of(near, 0.001)}), (std::vector{undecided}));
  EXPECT_EQ(verdicts({Difference{.tick = 1e-4, .rounds = std::vector<double>(40, 0.0)}}),
            (std::vector{undecided}))
      << "another process may rank them otherwise";
  EXPECT_EQ(verdicts({}), std::vector<Verdict>());
}

TEST(Judge, TheThresholdIsPartOfTheSame) {
  const double threshold = std::log1p(0.01);
  for (const auto& [ratio, verdict] :
       {std::pair(1.0, undecided), {1.001, slower}, {-1.0, undecided}, {-1.001, faster}})
    EXPECT_EQ(verdicts({of(ratio * threshold, 1e-7)}), std::vector{verdict}) << ratio;
  // The interval is the tick on either side.
  for (const auto& [ratio, tick, verdict] : {std::tuple(0.0, 1.0, same),
                                             {0.0, 1.001, undecided},
                                             {0.5, 0.4, same},
                                             {0.5, 0.6, undecided},
                                             {-0.5, 0.6, undecided}})
    EXPECT_EQ(
        verdicts({Difference{
            .log_ratio = ratio * threshold, .tick = tick * threshold, .standard_error = 1e-9, .freedom = 8}}),
        std::vector{verdict})
        << ratio << ' ' << tick;
}

TEST(Judge, AmongManyADifferenceNeedsASmallerP) {
  const Difference one = of(0.03, 0.01);  // p = 0.017
  EXPECT_EQ(verdicts({one}), (std::vector{slower}));
  std::vector<std::optional<Difference>> many(20, of(0, 0.1));
  many[0] = one;
  EXPECT_EQ(verdicts(many)[0], undecided);
}

TEST(Judge, IntervalsAreAsWideAsWhatIsFoundAsksFor) {
  // One of 20 is found; the 19 others certainly are within the threshold, and count as if nothing was known.
  std::vector<std::optional<Difference>> differences(
      20, Difference{.log_ratio = 0.005, .standard_error = 1e-5, .freedom = 8});
  differences[0] = Difference{.log_ratio = 0.03, .standard_error = 0.001, .freedom = 8};
  const Judged judged = judge(differences, 1)[0];
  EXPECT_EQ(judged.verdict, Verdict::slower);
  EXPECT_DOUBLE_EQ(judged.interval.low, differences[0]->interval(0.05 / 20).low);
  // The more are found, the narrower.
  differences[1] = differences[0];
  EXPECT_DOUBLE_EQ(judge(differences, 1)[0].interval.low, differences[0]->interval(0.05 * 2 / 20).low);
}

}  // namespace
}  // namespace redbench
