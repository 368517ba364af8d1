// Padding of an array in shared memory against bank conflicts (Martin 2012, III.A.1).
#pragma once

#include "kernels/types.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Place of element i: one word of padding after every 32 keeps strides of 2, 4, ... off a single bank. For
/// the length of an array, a multiple of 32, it gives the words that the array takes.
REDBENCH_HOST_DEVICE constexpr unsigned padded(unsigned i) { return i + i / 32; }

}  // namespace REDBENCH_TARGET
}  // namespace redbench
