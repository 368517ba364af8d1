// Caught by the poison that scratch memory holds before each run, and by the check for reads of memory that
// nobody wrote.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* scratch, Index count,
                             typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = Op()(reduction, scratch[count - 1]);
}

WRONG_VARIANT(Reduce, OneBlock, "adds a word of scratch memory that nobody wrote",
              { run_one_block(queue, x, wrong_kernel<Op>, 3); })

}  // namespace
}  // namespace redbench
