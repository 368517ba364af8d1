// How many samples are enough: until the median is known as precisely as asked, or a limit is met.
#pragma once

#include <string_view>
#include <vector>

#include "src/config/config.hpp"

namespace redbench {

/// The median of some samples with its 95 % confidence interval, in the samples' unit.
struct Median {
  double value = 0;
  double low = 0, high = 0;  // two order statistics; the extremes where `covered` is false
  bool covered = false;      // false below six samples, which hold no interval of 95 %

  /// Half the interval's width in percent of the median; infinite where it does not cover.
  double noise_percent() const;
};

/// The 0-based rank r such that [x(r), x(count - 1 - r)] of `count` sorted samples covers the median with at
/// least 95 %: by the binomial distribution, whatever the samples' own is. Negative where there is none.
int median_rank(int count);

/// `samples` in any order, at least one.
Median median_of(std::vector<double> samples);

enum class Stop : std::uint8_t { no, precise, max_samples, timeout };
inline constexpr std::array<std::string_view, 4> stop_names{"no", "precise", "max_samples", "timeout"};

/// `spent_s`: time that the case has taken so far, flushes included. At least one sample is always taken.
Stop should_stop(const std::vector<double>& samples, double spent_s, const MeasureOptions& options);

}  // namespace redbench
