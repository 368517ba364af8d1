// Sequential stop rule: sampling ends when the confidence interval of the median is as narrow as asked, or at
// a limit.
#pragma once

#include <string_view>
#include <vector>

#include "src/config/config.hpp"

namespace redbench {

/// A median with its confidence interval, in the samples' unit.
struct Median {
  double value = 0;
  double low = 0, high = 0;  // the samples' extremes where `covered` is false
  bool covered = false;      // false: too few samples for an interval

  /// Half the interval's width in percent of the median; infinite where there is no interval.
  double noise_percent() const;
};

/// Error probability of a case's interval, over all looks at its samples: 5 %.
inline constexpr double interval_error = 0.05;

/// Sign-test interval of a median: the largest 0-based rank r such that [x(r), x(count - 1 - r)] of `count`
/// sorted samples covers it with probability 1 - `error`, by the binomial distribution, for any distribution
/// of the samples. Negative where there is none.
int median_rank(int count, double error = interval_error);

/// The median of at least one sample, with the sign-test interval, whose ends are two of the samples.
Median median_of(std::vector<double> samples, double error = interval_error);

/// The median of at least one process's (fork's) median, with Student's t interval of their mean, extended to
/// their median where that lies outside. It needs two forks, and assumes that their medians are normally
/// distributed.
Median median_of_forks(const std::vector<double>& medians);

/// The sample counts at which the rule looks: `min_samples`, doubled up to `max_samples`.
std::vector<int> checkpoints(const MeasureOptions& options);

/// Bonferroni correction: the error probability of a single look, so that all looks together err with
/// probability `interval_error` at most, whichever of them ends the sampling.
double error_of_a_look(const MeasureOptions& options);

/// Rounds samples to tenths of a nanosecond, as they are recorded: no clock here is finer.
std::vector<double> in_tenths(std::vector<double> samples);

/// Resolution of a clock that ticks: the smallest difference between two different samples; 0 where all are
/// equal.
double tick_of(std::vector<double> samples);

enum class Stop : std::uint8_t { no, precise, max_samples, timeout };
inline constexpr std::array<std::string_view, 4> stop_names{"no", "precise", "max_samples", "timeout"};

/// `spent_s`: time that the case has taken so far, flushes included. Only a checkpoint can end with
/// `precise`. At least one sample is always taken.
Stop should_stop(const std::vector<double>& samples, double spent_s, const MeasureOptions& options);

}  // namespace redbench
