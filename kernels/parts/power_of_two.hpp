// A launch parameter as a template argument.
#pragma once

#include <type_traits>

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Calls run(std::integral_constant<int, value>) for a value that is `least` times a power of two, up to
/// `most`.
template <int least, int most, class Run>
void with_power_of_two(Index value, Run run) {
  if (value == least) run(std::integral_constant<int, least>{});
  else if constexpr (least < most) with_power_of_two<2 * least, most>(value, run);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
