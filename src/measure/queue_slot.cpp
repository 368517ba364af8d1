#include "src/measure/queue_slot.hpp"

#include <algorithm>

namespace redbench {

std::optional<int> costly_place(const std::array<double, QueueSlot::period>& medians) {
  std::array<double, QueueSlot::period> sorted = medians;
  std::sort(sorted.begin(), sorted.end());
  const double highest = sorted.back(), next = sorted[sorted.size() - 2];
  if (highest - next < 100 + 3 * (next - sorted.front())) return std::nullopt;
  return int(std::max_element(medians.begin(), medians.end()) - medians.begin());
}

}  // namespace redbench
