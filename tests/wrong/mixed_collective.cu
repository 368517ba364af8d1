// Caught by the check that all lanes of a mask call the same operation.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto reduction = block_total<Op>(in, n);
  if (threadIdx.x % 2) shuffle_down(full_mask, reduction, 1);
  else shuffle_up(full_mask, reduction, 1);
  if (threadIdx.x == 0) *out = reduction;
}

WRONG_VARIANT(Reduce, OneBlock, "lanes of one warp call different shuffles",
              { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
