// Caught by the comparison with the exact answer, whose bound must be too narrow for a zero to pass.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  if (threadIdx.x == 0) *out = n < 0 ? in[0] : typename Op::Value{};
}

WRONG_VARIANT(Reduce, OneBlock, "always zero", { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
