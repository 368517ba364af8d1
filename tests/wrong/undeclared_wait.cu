// Caught where time is taken: `run` waits for the device, which its card does not say, so that the launch gap
// cannot be hidden.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = reduction;
}

WRONG_VARIANT(Reduce, OneBlock, "waits for the device and does not say so", {
  run_one_block(queue, x, wrong_kernel<Op>);
  queue.on_host([] {});  // waits for what was launched
})

}  // namespace
}  // namespace redbench
