// Caught by the comparison with the exact answer at any size: one value of many is small beside their sum.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n > 0 ? n - 1 : 0);
  if (threadIdx.x == 0) *out = reduction;
}

WRONG_VARIANT(Reduce, OneBlock, "the last value is left out", { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
