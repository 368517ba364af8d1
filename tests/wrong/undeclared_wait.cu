// Meant to be caught where time is taken: `run` waits for the device, which its card does not say, so that
// the launch gap cannot be hidden.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = reduction;
}

struct undeclared_wait : FewPairs {
  static constexpr Card card{.title = "wrong: waits for the device and does not say so",
                             .source = "tests/wrong",
                             .order = Order::commutative};
  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    run_one_block(queue, x, wrong_kernel<Op>);
    queue.on_host([] {});  // waits for what was launched
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, undeclared_wait)
}  // namespace redbench
