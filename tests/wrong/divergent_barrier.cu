// Caught by the report on who waits where: half the block waits at one barrier, half at another.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x < wrong_block / 2) __syncthreads();
  else named_barrier_sync(1, wrong_block);
  if (threadIdx.x == 0) *out = reduction;
}

WRONG_VARIANT(Reduce, OneBlock, "a barrier inside a branch", { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
