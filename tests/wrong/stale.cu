// Meant to be caught by the poison that outputs hold before each run: nothing may stay from the run
// before.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0 && n > warp_size) *out = reduction;
}

struct stale : FewPairs {
  static constexpr Card card{.title = "wrong: writes no result where one warp has all the input",
                             .source = "tests/wrong",
                             .order = Order::commutative};
  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    run_one_block(queue, x, wrong_kernel<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, stale)
}  // namespace redbench
