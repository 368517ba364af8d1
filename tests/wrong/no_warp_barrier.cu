// Caught by the race detector: within a warp, too, a word is read before and after its owner writes it.
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
  for (int stride = wrong_block / 2; stride >= warp_size; stride /= 2) {
    if (t < stride) s[t] = op(s[t], s[t + stride]);
    __syncthreads();
  }
  if (t < warp_size)
    for (int stride = warp_size / 2; stride > 0; stride /= 2) s[t] = op(s[t], s[t + stride]);
  if (t == 0) *out = s[0];
}

WRONG_VARIANT(Reduce, OneBlock, "relies on a warp in step", { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
