#include "src/claims/bounds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/measure/stop_rule.hpp"

namespace redbench {
namespace {

/// A one-sided bound: above it (+1) or below it (-1).
struct Side {
  double bound;
  int sign;
};

std::vector<Side> sides_of(const Bounds& bounds) {
  std::vector<Side> sides;
  if (bounds.above) sides.push_back({*bounds.above, 1});
  if (bounds.below) sides.push_back({*bounds.below, -1});
  return sides;
}

/// Fails where any fails, holds where all hold.
ClaimVerdict all_of(const std::vector<ClaimVerdict>& verdicts) {
  for (const ClaimVerdict verdict : {ClaimVerdict::fails, ClaimVerdict::undecided})
    if (std::ranges::find(verdicts, verdict) != verdicts.end()) return verdict;
  return ClaimVerdict::holds;
}

ClaimVerdict exactly(const Bounds& bounds, double value) {
  constexpr double rounding = 1e-9;  // of a quotient of counts
  const bool holds = (!bounds.above || value > *bounds.above) && (!bounds.below || value < *bounds.below) &&
                     (!bounds.equals ||
                      std::abs(value - *bounds.equals) <= rounding * std::max(1.0, std::abs(*bounds.equals)));
  return holds ? ClaimVerdict::holds : ClaimVerdict::fails;
}

/// `near` and `far` are distances of an interval's ends from a bound, positive beyond it.
ClaimVerdict beyond(double near, double far, double margin) {
  if (near > margin) return ClaimVerdict::holds;
  return far < -margin ? ClaimVerdict::fails : ClaimVerdict::undecided;
}

Difference shifted(Difference difference, double by) {
  difference.log_ratio -= by;
  for (double& round : difference.rounds) round -= by;
  return difference;
}

double statistic(Over over, std::vector<double> values) {
  switch (over) {
    case Over::lowest:
      return *std::ranges::min_element(values);
    case Over::highest:
      return *std::ranges::max_element(values);
    case Over::median:
      return median_of(std::move(values)).value;
    case Over::mean:
    case Over::each:
      break;
  }
  return std::accumulate(values.begin(), values.end(), 0.0) / double(values.size());
}

}  // namespace

ClaimVerdict verdict_on(const Bounds& bounds, const Measured& measured, double least) {
  if (measured.is_exact) return exactly(bounds, measured.value);
  if (!measured.interval) return ClaimVerdict::undecided;
  std::vector<ClaimVerdict> verdicts;
  for (const auto [bound, sign] : sides_of(bounds)) {
    const double low = measured.interval->low - bound, high = measured.interval->high - bound;
    verdicts.push_back(sign > 0 ? beyond(low, high, least * std::abs(bound))
                                : beyond(-high, -low, least * std::abs(bound)));
  }
  return all_of(verdicts);
}

std::vector<JudgedRatio> judge_ratios(const std::vector<std::optional<Difference>>& differences,
                                      const std::vector<double>& least, const Bounds& bounds) {
  std::vector<std::vector<ClaimVerdict>> verdicts(differences.size());
  std::vector<JudgedRatio> ratios(differences.size());
  for (const auto [bound, sign] : sides_of(bounds)) {
    const double at = std::log(bound);
    std::vector<std::optional<Difference>> from_bound = differences;
    for (std::optional<Difference>& difference : from_bound)
      if (difference) difference = shifted(*difference, at);
    const std::vector<Judged> judged = judge(from_bound, 0);
    for (std::size_t i = 0; i < differences.size(); ++i) {
      if (!differences[i]) continue;
      const Interval& interval = judged[i].interval;
      const ClaimVerdict verdict = sign > 0 ? beyond(interval.low, interval.high, std::log1p(least[i]))
                                            : beyond(-interval.high, -interval.low, std::log1p(least[i]));
      verdicts[i].push_back(differs(judged[i].verdict) ? verdict : ClaimVerdict::undecided);
      if (!ratios[i].ratio)
        ratios[i].ratio =
            Measured{std::exp(differences[i]->log_ratio),
                     Interval{std::exp(interval.low + at), std::exp(interval.high + at)}, false};
    }
  }
  for (std::size_t i = 0; i < differences.size(); ++i)
    if (differences[i]) ratios[i].verdict = all_of(verdicts[i]);
  return ratios;
}

Measured over_cases(Over over, const std::vector<Measured>& cases) {
  std::vector<double> values, lows, highs;
  Measured all{0, {}, true};
  for (const Measured& measured : cases) {
    values.push_back(measured.value);
    all.is_exact = all.is_exact && measured.is_exact;
    lows.push_back(measured.interval ? measured.interval->low : measured.value);
    highs.push_back(measured.interval ? measured.interval->high : measured.value);
  }
  all.value = statistic(over, values);
  if (std::ranges::all_of(cases,
                          [](const Measured& measured) { return measured.is_exact || measured.interval; }) &&
      !all.is_exact)
    all.interval = Interval{statistic(over, lows), statistic(over, highs)};
  return all;
}

Measured slope_of(const std::vector<double>& x, const std::vector<Measured>& y, double least) {
  double mean = 0, spread = 0, slope = 0, variance = 0;
  for (const double at : x) mean += std::log(at) / double(x.size());
  for (const double at : x) spread += std::pow(std::log(at) - mean, 2);
  bool has_interval = true;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double weight = (std::log(x[i]) - mean) / spread;
    slope += weight * std::log(y[i].value);
    if (!y[i].interval) {
      has_interval = false;
      continue;
    }
    const double half =
        std::max(std::log(y[i].interval->high / y[i].value), std::log(y[i].value / y[i].interval->low)) +
        std::log1p(least);
    variance += std::pow(weight * half, 2);
  }
  Measured result{slope, {}, false};
  if (has_interval) result.interval = Interval{slope - std::sqrt(variance), slope + std::sqrt(variance)};
  return result;
}

}  // namespace redbench
