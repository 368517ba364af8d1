// Whole numbers rounded up: counts of tiles, sizes in units.
#pragma once

#include "kernels/types.hpp"

namespace redbench {

inline constexpr Index ceil_div(Index a, Index b) { return (a + b - 1) / b; }

/// The least multiple of `unit` that is not below `value`.
inline constexpr std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace redbench
