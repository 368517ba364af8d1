// The pairs that wrong kernels are built for: an integer, a float and operators whose order shows are enough
// to be caught by.
#pragma once

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Base of the wrong variants.
struct FewPairs {
  template <class Op>
  static constexpr std::string_view refuses() {
    constexpr bool built = std::is_same_v<Op, Sum<i32>> || std::is_same_v<Op, Max<i32>> ||
                           std::is_same_v<Op, Sum<f32>> || std::is_same_v<Op, Sum<f64>> ||
                           std::is_same_v<Op, Right<i32>> || std::is_same_v<Op, Affine>;
    return built ? "" : "a wrong kernel, built for a few pairs";
  }
};

}  // namespace REDBENCH_TARGET
}  // namespace redbench
