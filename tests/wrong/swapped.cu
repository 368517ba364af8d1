// Meant to be caught by the operators that are not commutative, affine and right: the card claims any order.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = reduction;
}

struct swapped : FewPairs {
  static constexpr Card card{.title = "wrong: claims input order and does not keep it",
                             .source = "tests/wrong",
                             .order = Order::any};
  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    run_one_block(queue, x, wrong_kernel<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, swapped)
}  // namespace redbench
