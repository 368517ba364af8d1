// Scan within a warp and within a block by shuffles, in thread order: for any associative operator.
#pragma once

#include "kernels/parts/chains.hpp"
#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Lane i returns the reduction of the values of lanes 0 to i. All 32 lanes call.
template <class Op>
__device__ typename Op::Value warp_inclusive_scan(typename Op::Value value) {
  const int lane = threadIdx.x % warp_size;
#pragma unroll
  for (int offset = 1; offset < warp_size; offset *= 2) {
    const auto before = shuffle_up(full_mask, value, offset);
    if (lane >= offset) value = Op()(before, value);
  }
  return value;
}

/// Thread i returns the reduction of the values of threads 0 to i - 1, thread 0 the identity; `total` is that
/// of all. All threads of the block call, whole warps. Begins with a barrier, so that it can be called in
/// turn.
template <class Op>
__device__ typename Op::Value block_exclusive_scan(typename Op::Value value, typename Op::Value& total) {
  __shared__ typename Op::Value of_warp[warp_size];
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;
  const Op op;

  // of_warp[w] holds the reduction of warp w.
  const auto inclusive = warp_inclusive_scan<Op>(value);
  auto exclusive = shuffle_up(full_mask, inclusive, 1);
  if (lane == 0) exclusive = Op::identity();
  __syncthreads();
  if (lane == warp_size - 1) of_warp[warp] = inclusive;
  __syncthreads();

  // of_warp[w] holds the reduction of warps 0 to w.
  if (warp == 0) {
    const auto of_warps = warp_inclusive_scan<Op>(lane < warps ? of_warp[lane] : Op::identity());
    if (lane < warps) of_warp[lane] = of_warps;
  }
  __syncthreads();
  total = of_warp[warps - 1];
  return warp == 0 ? exclusive : op(of_warp[warp - 1], exclusive);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
