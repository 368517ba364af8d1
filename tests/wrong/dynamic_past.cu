// Caught by the bounds check of dynamic shared memory.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) s[wrong_block] = reduction;
  if (threadIdx.x == 0) *out = reduction;
}

WRONG_VARIANT(Reduce, OneBlock, "writes past the dynamic shared memory",
              { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
