// The tree of one warp over 32 words of shared memory, in input order (Martin 2012, Algorithm 2).
#pragma once

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Reduces s[0..32) into `target`, which lane 0 alone writes; s is used up. All lanes call, each having
/// written its words of s itself or behind a barrier. The paper's warps are in step; here each level waits
/// for the one before.
template <class Op>
__device__ void warp_tree(typename Op::Value* s, unsigned lane, typename Op::Value& target) {
  const Op op;
  // After the level of `stride`, s[i] holds s[i..i + 2 stride) for every i that is a multiple of 2 stride.
#pragma unroll
  for (unsigned stride = 1; stride < warp_size / 2; stride *= 2) {
    __syncwarp();
    if (lane % (2 * stride) == 0) s[lane] = op(s[lane], s[lane + stride]);
  }
  __syncwarp();
  if (lane == 0) target = op(s[0], s[warp_size / 2]);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
