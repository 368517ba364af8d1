// Caught by schedules that a seed shuffles, and by the race detector: the first thread writes what one of the
// second warp reads. With the threads in order the result is right.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const auto reduction = block_total<Op>(in, n);
  __syncthreads();
  if (threadIdx.x == 0) s[0] = reduction;
  if (threadIdx.x == warp_size) *out = s[0];
}

WRONG_VARIANT(Reduce, OneBlock, "no barrier between a writer and its reader",
              { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
