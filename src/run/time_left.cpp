#include "src/run/time_left.hpp"

#include <algorithm>

namespace redbench {

double TimeLeft::Pace::ratio(double of_kind) const {
  // As if so much work had been seen before: a few milliseconds tell nothing of hours.
  constexpr double doubt_s = 0.02;
  return (taken + doubt_s * of_kind) / (expected + doubt_s);
}

TimeLeft::TimeLeft(std::map<std::size_t, CellCost> cells, int processes) : processes_(processes) {
  for (auto& [cell, cost] : cells)
    work_[cell] = {.cost = cost, .taken = std::vector<double>(cost.parts.size(), 0)};
}

void TimeLeft::began(std::size_t cell, double now) {
  Work& work = work_.at(cell);
  work.part = 0;
  work.since = now;
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

double TimeLeft::expected(const CostPart& part) const {
  const auto kind = kinds_.find(part.kind);
  if (kind == kinds_.end()) return part.seconds;
  const double of_kind = kind->second.ratio(1);
  const auto pace = paces_.find({part.kind, part.of});
  return part.seconds * (pace == paces_.end() ? of_kind : pace->second.ratio(of_kind));
}

double TimeLeft::seconds(double now) const {
  double left = 0;
  for (const auto& [cell, work] : work_)
    for (std::size_t i = 0; i < work.cost.parts.size(); ++i) {
      const bool is_current = work.since >= 0 && i == work.part;
      const double taken = work.taken[i] + (is_current ? now - work.since : 0);
      if (taken == 0) left += expected(work.cost.parts[i]);
      else if (is_current) left += std::max(0.0, expected(work.cost.parts[i]) - taken);
    }
  return left / std::max<double>(1, std::min<double>(processes_, double(work_.size())));
}

}  // namespace redbench
