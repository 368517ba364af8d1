// The input cut into one contiguous part for each block, which its threads go through a block apart: the grid
// of Eilers' commutative kernels (2014, Alg. 3.3, 4.9, 4.10).
#pragma once

#include <algorithm>

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// `blocks` parts of `length` inputs, the last one of fewer. There is no block where n is 0.
struct Parts {
  Index length, blocks;
};

/// At most `most` parts, each of whole steps of `step` inputs. Within a part the index is an int, as in the
/// thesis.
inline Parts contiguous_parts(const Queue& queue, Index n, Index most, Index step) {
  if (n == 0) return {step, 0};
  const Index length = round_up(ceil_div(n, most), step);
  if (length > Index(1) << 30)
    queue.refuse("a block would have more than 2^30 inputs, which it counts by int");
  return {length, ceil_div(n, length)};
}

/// Inputs of this block's part of n.
__device__ __forceinline__ int part_inputs(Index n, Index length) {
  const Index left = n - Index(blockIdx.x) * length;
  return int(left < length ? left : length);
}

/// For Card::parameters: the grid is free in the thesis.
inline constexpr Parameter parts_block{
    "block", 256, 32, 1024, Step::multiple_of_warp, "not printed, free; reasoned: full occupancy"};
inline constexpr Parameter parts_per_sm{
    "per_sm",  8,
    1,         64,
    Step::one, "blocks for each multiprocessor; not printed, free; reasoned: 8 of 256 threads fill one"};

inline Index parts_wanted(const Queue& queue) {
  return queue.parameter("per_sm") * queue.device().multiprocessors;
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
