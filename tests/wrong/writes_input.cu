// Caught by the comparison of the inputs with a copy after the case.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = reduction;
  if (threadIdx.x == 0 && n > 0) const_cast<typename Op::Value*>(in)[n - 1] = reduction;
}

WRONG_VARIANT(Reduce, OneBlock, "writes its input", { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
