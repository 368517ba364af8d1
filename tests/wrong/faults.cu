// Caught by the worker process: an invalid address costs the case, not the run.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *reinterpret_cast<typename Op::Value*>(std::uintptr_t(blockDim.x)) = reduction;
  if (threadIdx.x == 0) *out = reduction;
}

WRONG_VARIANT(Reduce, OneBlock, "writes to an address that is not its own",
              { run_one_block(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
