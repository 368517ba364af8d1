#include "src/run/time_left.hpp"

#include <algorithm>

namespace redbench {

TimeLeft::TimeLeft(std::map<std::size_t, double> cells, int processes)
    : expected_(std::move(cells)), waiting_(0), processes_(processes) {
  for (const auto& [cell, seconds] : expected_) waiting_ += seconds;
}

void TimeLeft::began(std::size_t cell, double now) {
  if (!begun_.contains(cell)) waiting_ -= expected_.at(cell);
  begun_[cell] = now;
}

void TimeLeft::ended(std::size_t cell, double now) {
  done_expected_ += expected_.at(cell);
  done_taken_ += now - begun_.at(cell);
  expected_.erase(cell);
  begun_.erase(cell);
}

double TimeLeft::pace() const {
  // As if so much had taken as long as expected: a few milliseconds tell nothing of hours.
  constexpr double doubt_s = 0.02;
  return (done_taken_ + doubt_s) / (done_expected_ + doubt_s);
}

double TimeLeft::seconds(double now) const {
  if (expected_.empty()) return 0;
  double left = std::max(0.0, waiting_) * pace();  // a sum that was taken apart may not come back to 0
  for (const auto& [cell, start] : begun_) left += std::max(0.0, expected_.at(cell) * pace() - (now - start));
  return left / double(std::min(std::size_t(processes_), expected_.size()));
}

}  // namespace redbench
