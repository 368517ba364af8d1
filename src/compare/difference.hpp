// Difference of two series of times: the log ratio, which changes only its sign when the two are swapped,
// with its confidence interval and the test whether it is 0.
#pragma once

#include <optional>
#include <vector>

namespace redbench {

/// Times in nanoseconds by fork (a process) and round. All are above 0.
using Samples = std::vector<std::vector<double>>;

struct Interval {
  double low, high;
};

struct Difference {
  double log_ratio = 0;                    // second time / first time
  double tick = 0;                         // resolution of the clock, as a log ratio
  double standard_error = 0, freedom = 0;  // Student's t over processes; freedom 0: a single process
  std::vector<double> rounds = {};         // of a single process: the difference in each round, sorted

  bool of_one_process() const { return freedom == 0; }
  /// Confidence interval that misses with probability `error`: Student's t over processes, order statistics
  /// of the median over the rounds of one. Infinite where there are too few samples.
  Interval interval(double error) const;
  /// Two-sided p-value: t-test over processes, sign test over the rounds of one. 1 for a difference within a
  /// tick.
  double p() const;
};

/// Paired difference of two series that were sampled in the same rounds of the same processes: the median
/// over rounds in each fork, then the mean over forks. A series that sat out rounds sat out those before the
/// last (src/measure/sampling.hpp). None where no round has both.
std::optional<Difference> paired_difference(const Samples& first, const Samples& second);

/// Welch's difference of the log medians of the forks, for series that share no process. None where either
/// has fewer than two forks: the variance from process to process is unknown then.
std::optional<Difference> unpaired_difference(const Samples& first, const Samples& second);

}  // namespace redbench
