// Caught by the poison that outputs hold before each run: nothing may stay from the run before.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0 && n > warp_size) *out = reduction;
}

WRONG_VARIANT(Reduce, OneBlock, "writes no result where one warp has all the input",
              { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
