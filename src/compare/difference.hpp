// How far apart two series of times are: the logarithm of their ratio, so that to change them about changes
// its sign and nothing else, with its interval and the test whether it is 0.
#pragma once

#include <optional>
#include <vector>

namespace redbench {

/// Nanoseconds: for each fork a list, by round. All are above 0.
using Samples = std::vector<std::vector<double>>;

struct Interval {
  double low, high;
};

struct Difference {
  double log_ratio = 0;                    // of the second's time to the first's
  double tick = 0;                         // the clock tells no smaller one
  double standard_error = 0, freedom = 0;  // Student's, over processes; no freedom: one process alone
  std::vector<double> rounds = {};         // of one process: the difference in each round, sorted

  bool of_one_process() const { return freedom == 0; }
  /// Covers the difference but for `error`; without ends where the samples are too few for one.
  Interval interval(double error) const;
  /// Of the two-sided test: the least `error` at which the interval leaves out 0. 1 where the difference is
  /// within the clock's tick.
  double p() const;
};

/// Of two series whose entry i of fork f is of the same round of the same process: by the differences within
/// rounds, then over forks. Where one took part in fewer rounds it left out those before the last (src/
/// measure/sampling.hpp). None where no round has both.
std::optional<Difference> paired_difference(const Samples& first, const Samples& second);

/// Of two series that share no process, by the medians of the forks (Welch's interval). None where one has
/// fewer than two forks: what differs from process to process is not known then.
std::optional<Difference> unpaired_difference(const Samples& first, const Samples& second);

}  // namespace redbench
