// Caught by schedules that a seed shuffles, and by the race detector: a step reads what other warps write.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const int t = threadIdx.x;
  const Op op;
  s[t] = grid_stride_reduce<Op, 1>(in, n);
  __syncthreads();
  for (int stride = wrong_block / 2; stride > 0; stride /= 2)
    if (t < stride) s[t] = op(s[t], s[t + stride]);
  if (t == 0) *out = s[0];
}

WRONG_VARIANT(Reduce, OneBlock, "no barrier between the steps of the tree",
              { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
