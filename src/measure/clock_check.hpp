// Whether a GPU ran as fast before a sample as before the others of its cell.
#pragma once

#include <cstdint>
#include <deque>

namespace redbench {

/// Is fed the clock before each sample of a cell, of whichever case. The cell's clock is the median of the
/// last `window` samples that were kept: it follows a drift, and a dip stands out.
class ClockCheck {
 public:
  static constexpr std::size_t window = 65;
  static constexpr double least_share = 0.97;  // of the cell's clock
  static constexpr int most_repeats = 3;       // of a sample

  enum class Verdict : std::uint8_t { fine, repeat, slow };
  /// `mhz` before the sample that was just taken: it is fine, is to be taken again, or stays although it is
  /// slow, as it has been repeated so often. The first of a cell is fine: there is nothing to compare it
  /// with.
  Verdict judge(double mhz);

 private:
  std::deque<double> readings_;
  int repeats_ = 0;  // of the sample under way
};

}  // namespace redbench
