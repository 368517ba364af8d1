// Difference of two series of times: the log ratio, which changes only its sign when the two are swapped,
// with its confidence interval and the test whether it is 0; and verdicts on many differences at once:
// Benjamini-Hochberg, with Benjamini-Yekutieli intervals.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
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
  double least = 0;                        // a log ratio of no more is called neither faster nor slower

  bool of_one_process() const { return freedom == 0; }
  /// False for times of strangers that no arithmetic holds.
  bool is_finite() const;
  /// Confidence interval that misses with probability `error`: Student's t over processes, order statistics
  /// of the median over the rounds of one. Infinite where there are too few samples.
  Interval interval(double error) const;
  /// Two-sided p-value: t-test over processes, sign test over the rounds of one. 1 for a difference within a
  /// tick.
  double p() const;
};

/// Paired difference of two series that were sampled in the same rounds of the same processes: the median
/// over rounds in each fork, then the mean over forks. A series that sat out rounds sat out those before the
/// last (src/measure/sampling.hpp). None where no round has both. The clock's tick is the smallest step of
/// the samples, and at least `tick_ns`.
std::optional<Difference> paired_difference(const Samples& first, const Samples& second, double tick_ns = 0);

/// Welch's difference of the log medians of the forks, for series that share no process. None where either
/// has fewer than two forks: the variance from process to process is unknown then.
std::optional<Difference> unpaired_difference(const Samples& first, const Samples& second,
                                              double tick_ns = 0);

/// The second difference less the first, of series that share no process: how far a quotient of two times has
/// moved from one machine to another. None where either is of one process.
std::optional<Difference> difference_of(const Difference& first, const Difference& second);

/// Outcome of comparing the second with the first.
enum class Verdict : std::uint8_t { faster, slower, same, undecided };
inline constexpr std::array<std::string_view, 4> verdict_names{"faster", "slower", "same", "undecided"};
inline constexpr std::string_view name_of(Verdict verdict) { return verdict_names[std::size_t(verdict)]; }
inline constexpr bool differs(Verdict verdict) {
  return verdict == Verdict::faster || verdict == Verdict::slower;
}

/// False discovery rate of the verdicts, and false coverage rate of their intervals.
inline constexpr double false_discoveries = 0.05;

/// Benjamini-Hochberg: the largest p that is rejected at the false discovery rate `rate`; negative where none
/// is.
double rejection_limit(std::vector<double> p, double rate);

struct Judged {
  Verdict verdict = Verdict::undecided;
  Interval interval{};  // of the log ratio
};

/// Judges all differences together; a case without one is undecided. Ratios of up to 1 + `threshold_percent`,
/// or the inverse, count as the same.
/// - Faster, slower: Benjamini-Hochberg rejects at 5 % and the ratio is beyond the threshold and its `least`; a
///   ratio that is not enters with p = 1. The intervals are FCR-adjusted (Benjamini and Yekutieli 2005): 5 % of them miss
///   the true ratio.
/// - Same: the whole 95 % interval is within the threshold, and there are several processes: the interval of
///   one process says nothing about others.
std::vector<Judged> judge(const std::vector<std::optional<Difference>>& differences,
                          double threshold_percent);

}  // namespace redbench
