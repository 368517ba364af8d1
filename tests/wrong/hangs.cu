// Caught by the limit on how long a case may be silent.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = reduction;
  while (true) asm volatile("");  // or nvcc takes the loop away
}

WRONG_VARIANT(Reduce, OneBlock, "spins for ever", { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
