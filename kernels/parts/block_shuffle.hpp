// Reduction within a warp and within a block by shuffles (Luitjens 2014, "Shuffle warp reduce", "Block
// reduce"). The operator must be commutative: lane i meets lane i + 16 first.
#pragma once

#include "kernels/parts/chains.hpp"
#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Lane 0 returns the reduction of the warp's values. All 32 lanes call.
template <class Op>
__device__ __forceinline__ typename Op::Value warp_reduce(typename Op::Value value) {
#pragma unroll
  for (int offset = warp_size / 2; offset > 0; offset /= 2)
    value = Op()(value, shuffle_down(full_mask, value, offset));
  return value;
}

/// Thread 0 returns the reduction of the block's values. All threads of the block call, whole warps, once.
template <class Op>
__device__ typename Op::Value block_reduce(typename Op::Value value) {
  __shared__ typename Op::Value of_warp[warp_size];
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;

  // of_warp[w] holds the reduction of warp w.
  value = warp_reduce<Op>(value);
  if (lane == 0) of_warp[warp] = value;
  __syncthreads();

  // The first warp reduces the warps' values; lanes without a warp bring the identity.
  value = threadIdx.x < blockDim.x / warp_size ? of_warp[lane] : Op::identity();
  if (warp == 0) value = warp_reduce<Op>(value);
  return value;
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
