// Caught by the red zone before the first buffer of a cell, and by the bounds check.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) const_cast<typename Op::Value*>(in)[-1] = reduction;
  if (threadIdx.x == 0) *out = reduction;
}

WRONG_VARIANT(Reduce, OneBlock, "writes one value before the input",
              { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
