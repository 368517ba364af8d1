// Meant to be caught by the race detector alone: a word is handed over by a named barrier, and
// written again before it is known to be taken. It is the same value, so the result is right under every
// schedule.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x < warp_size) {
    if (threadIdx.x == 0) s[0] = reduction;
    named_barrier_arrive(1, 2 * warp_size);
    if (threadIdx.x == 0) s[0] = reduction;
  } else if (threadIdx.x < 2 * warp_size) {
    named_barrier_sync(1, 2 * warp_size);
    if (threadIdx.x == warp_size) *out = s[0];
  }
}

struct named_reuse : FewPairs {
  static constexpr Card card{.title = "wrong: no barrier back after a hand-over",
                             .source = "tests/wrong",
                             .order = Order::commutative};
  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    run_one_block(queue, x, wrong_kernel<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, named_reuse)
}  // namespace redbench
