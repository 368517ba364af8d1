// The reduction of a GPU's part of the inputs, for variants that join those of several GPUs: the last block of a launch
// has it (last_block.hpp).
#pragma once

#include "kernels/gpus/gpus.hpp"
#include "kernels/reduce/last_block.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Whether the calling thread has the reduction of the whole grid: thread 0 of the last block, which brought its
/// block's reduction and gets that of all. Zero when the program is loaded, `ticket` is so again after each launch.
template <class Acc>
__device__ __forceinline__ bool has_all(typename Acc::Value& reduction, typename Acc::Value* partial,
                                        unsigned* ticket) {
  if (gridDim.x > 1) {
    if (threadIdx.x == 0) partial[blockIdx.x] = reduction;
    if (!comes_last(ticket)) return false;
    reduction = reduce_partials<Acc>(partial, gridDim.x);
  }
  return threadIdx.x == 0;
}

/// The bound for a result of several GPUs, whose local parts `launch_over` makes by `cover`.
template <class Op>
Index chain_over_gpus(const Cover& cover, Index joins) {
  return accumulated_chain<Op>(cover.chain + ceil_div(cover.blocks, cover.threads) + block_reduce_chain +
                               joins);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
