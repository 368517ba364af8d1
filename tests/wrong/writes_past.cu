// Caught by the guard bytes behind the output, and by the bounds check.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) out[0] = out[1] = reduction;
}

WRONG_VARIANT(Reduce, OneBlock, "writes one value past the output",
              { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
