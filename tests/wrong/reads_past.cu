// Meant to be caught by the bounds check of global memory, and by the comparison with the exact answer.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n + 1);
  if (threadIdx.x == 0) *out = reduction;
}

struct reads_past : FewPairs {
  static constexpr Card card{.title = "wrong: takes what lies behind the input for a value",
                             .source = "tests/wrong",
                             .order = Order::commutative};
  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    run_one_block(queue, x, wrong_kernel<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, reads_past)
}  // namespace redbench
