// Caught by the check of what the last sample left: on poisoned scratch memory, so in the other checks, it is
// right.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, u32* mark, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x != 0) return;
  *out = *mark == 5 ? Op::identity() : reduction;
  *mark = 5;
}

WRONG_VARIANT(Reduce, OneBlock, "what it leaves in scratch memory spoils its next run", {
  launch(queue, one_block<Op>, wrong_kernel<Op>, x.values, x.n, queue.scratch<u32>(1), x.result);
  queue.chain(one_block_chain(x.n));
})

}  // namespace
}  // namespace redbench
