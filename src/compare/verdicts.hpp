// Verdicts on many comparisons at once: Benjamini-Hochberg, with Benjamini-Yekutieli intervals.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "src/compare/difference.hpp"

namespace redbench {

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
/// - Faster, slower: Benjamini-Hochberg rejects at 5 % and the ratio is beyond the threshold; a ratio within
///   it enters with p = 1. The intervals are FCR-adjusted (Benjamini and Yekutieli 2005): 5 % of them miss
///   the true ratio.
/// - Same: the whole 95 % interval is within the threshold, and there are several processes: the interval of
///   one process says nothing about others.
std::vector<Judged> judge(const std::vector<std::optional<Difference>>& differences,
                          double threshold_percent);

}  // namespace redbench
