// What the later rungs of Harris' ladder share: the first operation while loading, and the last warp's tree.
#pragma once

#include "kernels/parts/power_of_two.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Thread t's two inputs of the block's tile of 2 blockDim, reduced; the identity past the end.
template <class Op>
__device__ typename Op::Value first_add(const typename Op::Value* in, unsigned n) {
  const unsigned i = 2 * blockIdx.x * blockDim.x + threadIdx.x;
  const auto low = i < n ? in[i] : Op::identity();
  const auto high = i + blockDim.x < n ? in[i + blockDim.x] : Op::identity();
  return Op()(low, high);
}

/// Leaves the reduction of s[0..64) in s[0], which lane 0 may read. The first warp calls, lane t of it,
/// behind a barrier. As in the papers, all lanes go through all six steps, and a step reads two words of
/// shared memory and writes one. The papers rely on a warp in step, which no GPU since Volta promises: the
/// two __syncwarp of a step let a word be read before its owner writes it again, and written before it is
/// read.
template <class Op>
__device__ void last_warp_tree(typename Op::Value* s, unsigned t) {
  const Op op;
#pragma unroll
  for (unsigned stride = warp_size; stride > 0; stride /= 2) {
    const auto value = op(s[t], s[t + stride]);
    __syncwarp();
    s[t] = value;
    __syncwarp();
  }
}

/// Leaves the reduction of s[0..block) in s[0]. The compiler knows the size, so nothing remains of the loops.
/// All threads of the block call, after a barrier; thread 0 may read s[0].
template <class Op, int block>
__device__ void unrolled_block_tree(typename Op::Value* s, unsigned t) {
  static_assert(block >= 2 * warp_size && (block & (block - 1)) == 0, "a power of two of at least two warps");
  const Op op;
#pragma unroll
  for (unsigned stride = block / 2; stride > warp_size; stride /= 2) {
    if (t < stride) s[t] = op(s[t], s[t + stride]);
    __syncthreads();
  }
  if (t < warp_size) last_warp_tree<Op>(s, t);
}

/// The block size of the rungs whose last warp reduces 64 words.
inline constexpr Parameter unrolled_block{
    "block", 256, 64, 1024, Step::power_of_two, "Sizmann 2023, Fig. 4.1: best between 128 and 256 threads"};

/// Calls run(std::integral_constant<int, block>) for that of a case.
template <class Run>
void with_block_size(Index block, Run run) {
  with_power_of_two<64, 1024>(block, run);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
