#include "src/run/time_left.hpp"

#include <algorithm>

namespace redbench {

double TimeLeft::Pace::ratio(double of_kind) const {
  // As if so much work had been seen before: a few milliseconds tell nothing of hours.
  constexpr double doubt_s = 0.02;
  return (taken + doubt_s * of_kind) / (expected + doubt_s);
}

TimeLeft::TimeLeft(std::map<std::size_t, CellCost> cells, int processes) : processes_(processes) {
  for (const auto& [cell, cost] : cells) {
    work_[cell] = {.cost = cost, .taken = std::vector<double>(cost.parts.size(), 0)};
    for (const CostPart& part : cost.parts) waiting_[{part.kind, part.of}] += part.seconds;
  }
}

void TimeLeft::began(std::size_t cell, double now) {
  Work& work = work_.at(cell);
  work.part = 0;
  work.since = now;
  if (!begun_.insert(cell).second) return;
  for (const CostPart& part : work.cost.parts) waiting_[{part.kind, part.of}] -= part.seconds;
}

bool TimeLeft::running(std::size_t cell, std::size_t number, double now) {
  Work& work = work_.at(cell);
  const std::size_t part = work.cost.part_of_case[number];
  if (part == work.part) return false;
  leave_part(work, now);
  work.part = part;
  return true;
}

void TimeLeft::ended(std::size_t cell, double now) {
  leave_part(work_.at(cell), now);
  work_.erase(cell);
  begun_.erase(cell);
}

void TimeLeft::leave_part(Work& work, double now) {
  const CostPart& part = work.cost.parts[work.part];
  double& taken = work.taken[work.part];
  const bool first = taken == 0;
  for (Pace* pace : {&kinds_[part.kind], &paces_[{part.kind, part.of}]}) {
    if (first) pace->expected += part.seconds;
    pace->taken += now - work.since;
  }
  taken += now - work.since;
  work.since = now;
}

double TimeLeft::ratio(const Name& name) const {
  const auto kind = kinds_.find(name.first);
  if (kind == kinds_.end()) return 1;
  const double of_kind = kind->second.ratio(1);
  const auto pace = paces_.find(name);
  return pace == paces_.end() ? of_kind : pace->second.ratio(of_kind);
}

double TimeLeft::seconds(double now) const {
  if (work_.empty()) return 0;  // sums that were taken apart may not have come back to it
  double left = 0;
  for (const auto& [name, seconds] : waiting_) left += std::max(0.0, seconds) * ratio(name);
  for (const std::size_t cell : begun_) {
    const Work& work = work_.at(cell);
    for (std::size_t i = 0; i < work.cost.parts.size(); ++i) {
      const CostPart& part = work.cost.parts[i];
      const double taken = work.taken[i] + (i == work.part ? now - work.since : 0);
      const double expected = part.seconds * ratio({part.kind, part.of});
      // What was left for the next part is done.
      if (taken == 0 || i == work.part) left += std::max(0.0, expected - taken);
    }
  }
  return left / double(std::min(std::size_t(processes_), work_.size()));
}

}  // namespace redbench
