// Tests of numbers, measured or exact, against the bounds of a claim.
#pragma once

#include <optional>
#include <vector>

#include "src/claims/answer.hpp"
#include "src/compare/difference.hpp"

namespace redbench {

/// A number and its confidence interval.
struct Measured {
  double value = 0;
  std::optional<Interval> interval;  // none where it is exact, or the interval is unknown
  bool is_exact = false;
};

/// A measured number is beyond a bound where its whole interval is, by more than the share `least` of the
/// bound. An exact number is where it is itself.
ClaimVerdict verdict_on(const Bounds& bounds, const Measured& measured, double least);

/// Tests ratios of times by Benjamini-Hochberg at a false discovery rate of 5 %, with FCR-adjusted intervals
/// (Benjamini and Yekutieli 2005), as `redbench compare` does, for each bound in place of 1. `least`: for
/// each ratio, as above. A missing difference is undecided and has no ratio.
struct JudgedRatio {
  ClaimVerdict verdict = ClaimVerdict::undecided;
  std::optional<Measured> ratio;
};
std::vector<JudgedRatio> judge_ratios(const std::vector<std::optional<Difference>>& differences,
                                      const std::vector<double>& least, const Bounds& bounds);

/// Statistic of all cases, at least one. Its interval is the statistic of the intervals' ends, so it is
/// conservative; none where a case has none.
Measured over_cases(Over over, const std::vector<Measured>& cases);

/// Least squares fit of log y to log x: the exponent k of y = c x^k. Its interval follows from the points'
/// intervals, each widened by the share `least`. At least two different x; all x and y are above 0.
Measured slope_of(const std::vector<double>& x, const std::vector<Measured>& y, double least);

}  // namespace redbench
