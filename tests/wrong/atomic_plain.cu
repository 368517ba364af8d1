// Caught by the race detector alone: a counter is read while others may still add to it. The result does not
// depend on it, so it is right under every schedule.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  __shared__ unsigned arrived;
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) arrived = 0;
  __syncthreads();
  atomicAdd(&arrived, 1u);
  if (threadIdx.x == 0 && arrived > 0) *out = reduction;
}

WRONG_VARIANT(Reduce, OneBlock, "reads a counter that others add to",
              { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
