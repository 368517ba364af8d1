#include "src/measure/queue_slot.hpp"

#include <algorithm>
#include <vector>

#include "src/measure/stop_rule.hpp"

namespace redbench {

std::optional<int> costly_slot(const std::array<double, QueueSlot::period>& medians) {
  std::array<double, QueueSlot::period> sorted = medians;
  std::sort(sorted.begin(), sorted.end());
  const double highest = sorted.back(), next = sorted[sorted.size() - 2];
  if (highest - next < 100 + 3 * (next - sorted.front())) return std::nullopt;
  return int(std::max_element(medians.begin(), medians.end()) - medians.begin());
}

std::optional<CostlySlot> find_costly_slot(const std::function<double(int)>& timed) {
  constexpr std::size_t period = QueueSlot::period;
  std::array<std::vector<double>, period> times;
  for (const int rounds : {5, 10, 15}) {
    for (int round = 0; round < rounds; ++round)
      for (std::size_t slot = 0; slot < period; ++slot) times[slot].push_back(timed(int(slot)));
    std::array<double, period> medians;
    for (std::size_t slot = 0; slot < period; ++slot) medians[slot] = median_of(times[slot]).value;
    if (const std::optional<int> costly = costly_slot(medians)) {
      const auto slot = std::size_t(*costly);
      return CostlySlot{*costly, medians[slot] - medians[(slot + 1) % period]};
    }
  }
  return std::nullopt;
}

}  // namespace redbench
