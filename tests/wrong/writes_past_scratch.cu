// Caught by the red zone behind scratch memory, and by the bounds check.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* scratch, Index count,
                             typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) scratch[count] = reduction;
  if (threadIdx.x == 0) *out = reduction;
}

WRONG_VARIANT(Reduce, OneBlock, "writes one value past its scratch memory",
              { run_one_block(queue, x, wrong_kernel<Op>, 3); })

}  // namespace
}  // namespace redbench
