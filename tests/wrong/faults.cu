// Meant to be caught by the worker process: an invalid address costs the case, not the run.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *reinterpret_cast<typename Op::Value*>(std::uintptr_t(blockDim.x)) = reduction;
  if (threadIdx.x == 0) *out = reduction;
}

struct faults : FewPairs {
  static constexpr Card card{.title = "wrong: writes to an address that is not its own",
                             .source = "tests/wrong",
                             .order = Order::commutative};
  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    run_one_block(queue, x, wrong_kernel<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, faults)
}  // namespace redbench
