// Caught by the check of alignment: two words of shared memory are written as one, at an address that is no
// multiple of 8. A CPU does that, so the result is right here.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<unsigned>();
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *reinterpret_cast<unsigned long long*>(s + 1) = 1;
  __syncthreads();
  if (threadIdx.x == 1) s[2] = s[1];
  if (threadIdx.x == 0) *out = reduction;
}

WRONG_VARIANT(Reduce, OneBlock, "a wide store to an odd word", { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
