// What the later rungs of Harris' ladder share: the first operation while loading, and the last warp's tree.
#pragma once

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Thread t's two inputs of the block's tile of 2 blockDim, reduced; the identity past the end.
template <class Op>
__device__ typename Op::Value first_add(const typename Op::Value* in, Index n) {
  const Index i = 2 * Index(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto low = i < n ? in[i] : Op::identity();
  const auto high = i + blockDim.x < n ? in[i + blockDim.x] : Op::identity();
  return Op()(low, high);
}

/// Reduces s[0..min(block, 64)) within the first warp, lane t of it; every lane returns the whole. The
/// exchange with t ^ stride, where the papers read t + stride, needs no test of t either and stays inside a
/// block of 32. The papers rely on a warp in step; a word is read here before its owner may write it again,
/// and written before it is read, because of the two __syncwarp.
template <class Op>
__device__ typename Op::Value last_warp_tree(typename Op::Value* s, int t, int block) {
  const Op op;
  auto value = s[t];
  if (block > warp_size) {
    value = op(value, s[t + warp_size]);
    s[t] = value;
    __syncwarp();
  }
#pragma unroll
  for (int stride = warp_size / 2; stride > 0; stride /= 2) {
    value = op(value, s[t ^ stride]);
    if (stride > 1) {
      __syncwarp();
      s[t] = value;
      __syncwarp();
    }
  }
  return value;
}

/// The tree over s[0..block) with its size known to the compiler, so that nothing remains of the loops. All
/// threads of the block call, after a barrier; the first warp returns the whole.
template <class Op, int block>
__device__ typename Op::Value unrolled_block_tree(typename Op::Value* s, int t) {
  static_assert(block >= warp_size && (block & (block - 1)) == 0, "a power of two of at least a warp");
  const Op op;
#pragma unroll
  for (int stride = block / 2; stride > warp_size; stride /= 2) {
    if (t < stride) s[t] = op(s[t], s[t + stride]);
    __syncthreads();
  }
  return t < warp_size ? last_warp_tree<Op>(s, t, block) : Op::identity();
}

/// Calls run(std::integral_constant<int, block>) for the block size of a case: 32, 64, ... 1024.
template <class Run>
void with_block_size(Index block, Run run) {
  switch (block) {
    case 32:
      return run(std::integral_constant<int, 32>{});
    case 64:
      return run(std::integral_constant<int, 64>{});
    case 128:
      return run(std::integral_constant<int, 128>{});
    case 256:
      return run(std::integral_constant<int, 256>{});
    case 512:
      return run(std::integral_constant<int, 512>{});
    case 1024:
      return run(std::integral_constant<int, 1024>{});
  }
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
