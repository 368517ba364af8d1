// How many samples are enough: until the median is known as precisely as asked, or a limit is met.
#pragma once

#include <string_view>
#include <vector>

#include "src/config/config.hpp"

namespace redbench {

/// The median of some samples with its confidence interval, in the samples' unit.
struct Median {
  double value = 0;
  double low = 0, high = 0;  // the extremes where `covered` is false
  bool covered = false;      // false where the samples are too few for an interval

  /// Half the interval's width in percent of the median; infinite where it does not cover.
  double noise_percent() const;
};

/// What the intervals of a case may miss its median by chance, over all looks at its samples: 5 %.
inline constexpr double interval_error = 0.05;

/// The 0-based rank r such that [x(r), x(count - 1 - r)] of `count` sorted samples covers the median but for
/// `error`: by the binomial distribution, whatever the samples' own is. Negative where there is none.
int median_rank(int count, double error = interval_error);

/// `samples` in any order, at least one. The interval's ends are two of them.
Median median_of(std::vector<double> samples, double error = interval_error);

/// The same of independent forks' medians, at least one: Student's interval of their mean, drawn out to their
/// median where that lies outside. It covers from two forks on, and takes their medians to be normally
/// distributed.
Median median_of_forks(const std::vector<double>& medians);

/// The numbers of samples after which it is asked whether to stop: `min_samples`, doubled up to
/// `max_samples`.
std::vector<int> checkpoints(const MeasureOptions& options);

/// What one look may miss by, so that all looks together miss by `interval_error`: whichever ends the
/// sampling, its interval holds (Bonferroni's bound).
double error_of_a_look(const MeasureOptions& options);

/// Samples to the tenth of a nanosecond: no clock here is finer, and a record holds hundreds.
std::vector<double> in_tenths(std::vector<double> samples);

/// The distance of the closest two different samples: of a clock that ticks, its tick. 0 where all are alike.
double tick_of(std::vector<double> samples);

enum class Stop : std::uint8_t { no, precise, max_samples, timeout };
inline constexpr std::array<std::string_view, 4> stop_names{"no", "precise", "max_samples", "timeout"};

/// `spent_s`: time that the case has taken so far, flushes included. Precise at a checkpoint only. At least
/// one sample is always taken.
Stop should_stop(const std::vector<double>& samples, double spent_s, const MeasureOptions& options);

}  // namespace redbench
