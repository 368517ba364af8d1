// What the sorts by label go through, on a GPU and on one core.
#pragma once

#include <bit>

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Bits of labels below m.
constexpr int bits_of(Index m) { return int(std::bit_width(std::uint64_t(m - 1))); }

template <class T>
struct LabelledValues {
  const u32* labels;  // [n]
  const T* values;    // [n]
};

}  // namespace REDBENCH_TARGET
}  // namespace redbench
