// The pairs of type and operator that calls of a device-wide library primitive are built for.
#pragma once

#include "kernels/operators.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// nvcc takes 1 to 4 s for such a call and pair, and 32 pairs would be a third of the build. Those kept are
/// sums of every type, an order that shows (affine), an identity that is not zero, and results of 2 to 16
/// bytes.
template <class Op>
inline constexpr bool in_library_pairs = false;
template <class T>
inline constexpr bool in_library_pairs<Sum<T>> = true;
template <>
inline constexpr bool in_library_pairs<Affine> = true;
template <class T>
inline constexpr bool extremum_in_library_pairs =
    std::is_same_v<T, i32> || std::is_same_v<T, f32> || std::is_same_v<T, f16>;
template <class T>
inline constexpr bool in_library_pairs<Min<T>> = extremum_in_library_pairs<T>;
template <class T>
inline constexpr bool in_library_pairs<Max<T>> = extremum_in_library_pairs<T>;

/// For `refuses<Op>()`.
template <class Op>
constexpr std::string_view library_refuses() {
  if (in_library_pairs<Op>) return {};
  return "to keep the build short, library calls are built for sums, affine maps, and min and max of i32, "
         "f32 and f16 only";
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
