#include "src/run/time_left.hpp"

#include <algorithm>

namespace redbench {

TimeLeft::TimeLeft(std::map<std::size_t, double> cells, int processes)
    : expected_(std::move(cells)), processes_(processes) {}

void TimeLeft::began(std::size_t cell, double now) { begun_[cell] = now; }

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
  double left = 0;
  for (const auto& [cell, expected] : expected_) {
    const auto begun = begun_.find(cell);
    const double spent = begun == begun_.end() ? 0 : now - begun->second;
    left += std::max(0.0, expected * pace() - spent);
  }
  return left / double(std::min(std::size_t(processes_), expected_.size()));
}

}  // namespace redbench
