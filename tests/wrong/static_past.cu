// Caught by the bounds check of static shared memory.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  __shared__ typename Op::Value s[warp_size];
  const int t = threadIdx.x;
  const auto reduction = block_total<Op>(in, n);
  if (t <= warp_size) s[t] = reduction;
  __syncthreads();
  if (t == 1) *out = s[0];
}

WRONG_VARIANT(Reduce, OneBlock, "writes past a static shared array",
              { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
