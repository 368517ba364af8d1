// Meant to be caught by the red zone behind scratch memory, and by the bounds check.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* scratch, Index count,
                             typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) scratch[count] = reduction;
  if (threadIdx.x == 0) *out = reduction;
}

struct writes_past_scratch : FewPairs {
  static constexpr Card card{.title = "wrong: writes one value past its scratch memory",
                             .source = "tests/wrong",
                             .order = Order::commutative};
  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    run_one_block(queue, x, wrong_kernel<Op>, 3);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, writes_past_scratch)
}  // namespace redbench
