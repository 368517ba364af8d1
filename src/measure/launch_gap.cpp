#include "src/measure/launch_gap.hpp"

#include "src/plan/plan.hpp"

namespace redbench {

bool hides_launch_gap(const Device& device, const Case& one) {
  return device.target() == Target::cuda && !one.variant->card.synchronizes &&
         one.footprint.launches.size() <= std::size_t(LaunchGap::most_launches);
}

}  // namespace redbench
