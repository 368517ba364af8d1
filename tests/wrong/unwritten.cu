// Caught by the check for reads of memory that nobody wrote.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = Op()(reduction, s[wrong_block - 1]);
}

WRONG_VARIANT(Reduce, OneBlock, "adds a word of shared memory that nobody wrote",
              { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
