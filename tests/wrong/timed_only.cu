// Meant to be caught by the check of what the last sample left: on poisoned scratch memory, so in the other
// checks, it is right.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, u32* mark, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x != 0) return;
  *out = *mark == 5 ? Op::identity() : reduction;
  *mark = 5;
}

struct timed_only : FewPairs {
  static constexpr Card card{.title = "wrong: what it leaves in scratch memory spoils its next run",
                             .source = "tests/wrong",
                             .order = Order::commutative};
  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    launch(queue, one_block<Op>, wrong_kernel<Op>, x.values, x.n, queue.scratch<u32>(1), x.result);
    queue.chain(one_block_chain(x.n));
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, timed_only)
}  // namespace redbench
