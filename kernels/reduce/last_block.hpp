// How the last block of a launch finishes a reduction: the blocks' partial results go to memory, and whoever
// takes the last ticket reduces them in the order of the blocks, so that no run differs from another.
#pragma once

#include "kernels/reduce/one_launch.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// atomicInc that releases what the thread wrote before, and acquires what those before it released. CUDA has
/// no intrinsic of this order; __threadfence is sequentially consistent, which takes longer.
__device__ __forceinline__ unsigned increment_in_order(unsigned* count, unsigned last) {
#if defined(__CUDA_ARCH__)
  unsigned before;
  asm volatile("atom.acq_rel.gpu.inc.u32 %0, [%1], %2;" : "=r"(before) : "l"(count), "r"(last) : "memory");
#else
  __threadfence();
  const unsigned before = atomicInc(count, last);
  __threadfence();
#endif
  return before;
}

/// Whether this block is the last of the grid to call, for all of its threads. It may then read what thread 0
/// of the others wrote. The ticket wraps around to zero by itself, for the next launch.
__device__ __forceinline__ bool comes_last(unsigned* ticket) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) is_last = increment_in_order(ticket, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  return is_last;
}

/// Thread 0 returns the reduction of partial[0..count) in order. All threads of the block call. A thread has
/// neighbouring ones, all of which are on their way before the first is waited for while they are few.
template <class Op>
__device__ __forceinline__ typename Op::Value reduce_partials(const typename Op::Value* partial,
                                                              unsigned count) {
  constexpr int loads = 4;
  const Op op;
  const unsigned each = (count + blockDim.x - 1) / blockDim.x, begin = threadIdx.x * each;
  const unsigned end = begin + each < count ? begin + each : count;
  auto reduction = Op::identity();
#pragma unroll 1
  for (unsigned first = begin; first < end; first += loads) {
    typename Op::Value value[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k) value[k] = first + k < end ? partial[first + k] : Op::identity();
#pragma unroll
    for (int k = 0; k < loads; ++k) reduction = op(reduction, value[k]);
  }
  return block_total<Op>(reduction);
}

/// Writes the result, in the last block. Thread 0 of each block brings the block's reduction. `partial` has a
/// value for each block.
template <class Op>
__device__ __forceinline__ void finish_in_last_block(typename Accumulator<Op>::Value value,
                                                     typename Accumulator<Op>::Value* partial,
                                                     unsigned* ticket, typename Op::Result* result) {
  if (gridDim.x > 1) {
    if (threadIdx.x == 0) partial[blockIdx.x] = value;
    if (!comes_last(ticket)) return;
    value = reduce_partials<Accumulator<Op>>(partial, gridDim.x);
  }
  if (threadIdx.x == 0) *result = typename Op::Result(value);
}

/// Most blocks of a launch: their results must not keep the last block long.
inline constexpr MostBlocks last_block_most{Index(1) << 14, 16};

}  // namespace REDBENCH_TARGET
}  // namespace redbench
