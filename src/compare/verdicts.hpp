// What may be said of many comparisons at once.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "src/compare/difference.hpp"

namespace redbench {

/// Of the second, against the first.
enum class Verdict : std::uint8_t { faster, slower, same, undecided };
inline constexpr std::array<std::string_view, 4> verdict_names{"faster", "slower", "same", "undecided"};
inline constexpr std::string_view name_of(Verdict verdict) { return verdict_names[std::size_t(verdict)]; }
inline constexpr bool differs(Verdict verdict) {
  return verdict == Verdict::faster || verdict == Verdict::slower;
}

/// Of those that are said to differ, so many may not; of the intervals, so many may miss.
inline constexpr double false_discoveries = 0.05;

/// The largest p that Benjamini and Hochberg reject, where `rate` of what is rejected may be false; negative
/// where they reject none.
double rejection_limit(std::vector<double> p, double rate);

struct Judged {
  Verdict verdict = Verdict::undecided;
  Interval interval{};  // of the logarithm of the ratio
};

/// In order; none for what cannot be compared, which is undecided. `threshold_percent`: a ratio of up to
/// 1 + that, or its inverse, is the same. Faster and slower are those beyond it that are rejected, where what
/// is within counts with a p of 1: their intervals are wider than 95 %, so that of all of those 5 % miss
/// (Benjamini and Yekutieli). Same is what has its whole interval within, of more than one process: the
/// interval of one says nothing of others.
std::vector<Judged> judge(const std::vector<std::optional<Difference>>& differences,
                          double threshold_percent);

}  // namespace redbench
