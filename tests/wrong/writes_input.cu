// Meant to be caught by the comparison of the inputs with a copy after the case.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = reduction;
  if (threadIdx.x == 0 && n > 0) const_cast<typename Op::Value*>(in)[n - 1] = reduction;
}

struct writes_input : FewPairs {
  static constexpr Card card{
      .title = "wrong: writes its input", .source = "tests/wrong", .order = Order::commutative};
  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    run_one_block(queue, x, wrong_kernel<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, writes_input)
}  // namespace redbench
