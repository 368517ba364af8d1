// Numbers, measured or exact, against the bounds of a claim.
#pragma once

#include <optional>
#include <vector>

#include "src/claims/answer.hpp"
#include "src/compare/difference.hpp"

namespace redbench {

/// A number with its interval; an exact one has none.
struct Measured {
  double value = 0;
  std::optional<Interval> interval;  // none of a measured one: it is not known
  bool is_exact = false;
};

/// A measured number is beyond a bound where its interval is by more than the share `least`; an exact one
/// where it is.
Answered held_against(const Bounds& bounds, const Measured& measured, double least);

/// Ratios of two times, as `redbench compare` tells them: of those that are beyond a bound 5 % may not be,
/// and their intervals are as wide as that takes. Each against the bounds; `least` as above, of each. Where
/// there is no difference the number is undecided and has no value.
struct JudgedRatio {
  Answered verdict = Answered::undecided;
  std::optional<Measured> ratio;
};
std::vector<JudgedRatio> judge_ratios(const std::vector<std::optional<Difference>>& differences,
                                      const std::vector<double>& least, const Bounds& bounds);

/// The number of all cases that `over` means: its interval is of the intervals' ends, so wider than it need
/// be. Without an interval where a case has none. At least one.
Measured over_cases(Over over, const std::vector<Measured>& cases);

/// The exponent k of the power x^k that goes through points (x, y) best, by least squares of logarithms, from
/// the points' intervals drawn out by the share `least`. At least two points of different x; all above 0.
Measured slope_of(const std::vector<double>& x, const std::vector<Measured>& y, double least);

}  // namespace redbench
