// Caught by the race detector alone: a word is handed over by a named barrier, and written again before it is
// known to be taken. It is the same value, so the result is right under every schedule.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x < warp_size) {
    if (threadIdx.x == 0) s[0] = reduction;
    named_barrier_arrive(1, 2 * warp_size);
    if (threadIdx.x == 0) s[0] = reduction;
  } else if (threadIdx.x < 2 * warp_size) {
    named_barrier_sync(1, 2 * warp_size);
    if (threadIdx.x == warp_size) *out = s[0];
  }
}

WRONG_VARIANT(Reduce, OneBlock, "no barrier back after a hand-over",
              { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
