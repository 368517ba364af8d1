// Caught by the checks at the timed n, as the battery's are smaller: for a sum of floats by the run on exact
// values, as a tile is within the bound of rounding.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const Index taken = n > Index(1) << 24 ? n / wrong_block * wrong_block : n;
  const auto reduction = block_reduce<Op>(grid_stride_reduce<Op, 4>(in, taken));
  if (threadIdx.x == 0) *out = reduction;
}

WRONG_VARIANT(Reduce, OneBlock, "above 2^24 values the last, partial tile is skipped", {
  launch(queue, one_block<Op>, wrong_kernel<Op>, x.values, x.n, x.result);
  queue.chain(grid_stride_chain(x.n, 4, wrong_block) + block_reduce_chain);
})

}  // namespace
}  // namespace redbench
