// Meant to be caught by the bounds check of static shared memory.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  __shared__ typename Op::Value s[warp_size];
  const int t = threadIdx.x;
  const auto reduction = block_total<Op>(in, n);
  if (t <= warp_size) s[t] = reduction;
  __syncthreads();
  if (t == 1) *out = s[0];
}

struct static_past : FewPairs {
  static constexpr Card card{.title = "wrong: writes past a static shared array",
                             .source = "tests/wrong",
                             .order = Order::commutative};
  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    run_one_block(queue, x, wrong_kernel<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, static_past)
}  // namespace redbench
