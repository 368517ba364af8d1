// Finds samples that a GPU took at a lower clock than the others of their cell.
#pragma once

#include <cstdint>
#include <deque>

namespace redbench {

/// Compares the clock before each sample of a cell, of any of its cases, with the cell's clock: the median of
/// the last `window` samples that were kept. It follows a drift, and a dip stands out.
class ClockCheck {
 public:
  static constexpr std::size_t window = 65;
  static constexpr double least_share = 0.97;  // of the cell's clock
  static constexpr int most_repeats = 3;       // of a sample

  /// What to do with a sample.
  enum class Action : std::uint8_t { keep, repeat, keep_slow };
  /// `mhz`: the clock before the sample that was just taken. A slow sample is repeated, `most_repeats` times
  /// at most, and then kept. The first sample of a cell is kept, as there is none to compare it with.
  Action judge(double mhz);

 private:
  std::deque<double> readings_;
  int repeats_ = 0;  // of the current sample
};

}  // namespace redbench
