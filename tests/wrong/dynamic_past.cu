// Meant to be caught by the bounds check of dynamic shared memory.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) s[wrong_block] = reduction;
  if (threadIdx.x == 0) *out = reduction;
}

struct dynamic_past : FewPairs {
  static constexpr Card card{.title = "wrong: writes past the dynamic shared memory",
                             .source = "tests/wrong",
                             .order = Order::commutative};
  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    run_one_block(queue, x, wrong_kernel<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, dynamic_past)
}  // namespace redbench
