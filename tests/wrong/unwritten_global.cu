// Caught by the check for reads of memory that nobody wrote: the word that holds the result is taken for a
// part of it.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = Op()(reduction, *out);
}

WRONG_VARIANT(Reduce, OneBlock, "adds to a result that nobody wrote",
              { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
