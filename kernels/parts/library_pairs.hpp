// The pairs of type and operator that calls of a device-wide library primitive are built for.
#pragma once

#include "kernels/operators.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// For `refuses<Op>()`. nvcc takes 1 to 4 s for such a call and pair, and 32 pairs would be a third of the
/// build. Those kept are sums of every type, an order that shows (affine), an identity that is not zero, and
/// results of 2 to 16 bytes.
template <class Op>
constexpr std::string_view library_refuses() {
  constexpr bool extremum = Op::name == Operator::min || Op::name == Operator::max;
  constexpr bool its_types = Op::type == Type::i32 || Op::type == Type::f32 || Op::type == Type::f16;
  if (Op::name == Operator::sum || Op::name == Operator::affine || (extremum && its_types)) return {};
  return "to keep the build short, library calls are built for sums, affine maps, and min and max of i32, "
         "f32 "
         "and f16 only";
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
