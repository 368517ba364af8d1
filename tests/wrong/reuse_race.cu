// Caught by the race detector alone: the second reduction writes the scratch that the first may still read.
// They write the same values, so the result is right under every schedule.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  block_total<Op>(in, n);
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = reduction;
}

WRONG_VARIANT(Reduce, OneBlock, "shared memory used again without a barrier",
              { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
