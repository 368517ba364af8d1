#include "src/measure/launch_gap.hpp"

#include "src/plan/plan.hpp"

namespace redbench {

bool hides_launch_gap(const Device& device, const Case& case_) {
  return device.target() == Target::cuda && !case_.variant->card.synchronizes &&
         case_.footprint.launches.size() <= std::size_t(LaunchGap::most_launches);
}

}  // namespace redbench
