// Meant to be caught by the battery's sizes that are no multiple of a tile.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n / wrong_block * wrong_block);
  if (threadIdx.x == 0) *out = reduction;
}

struct last_tile : FewPairs {
  static constexpr Card card{.title = "wrong: the last, partial tile is skipped",
                             .source = "tests/wrong",
                             .order = Order::commutative};
  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    run_one_block(queue, x, wrong_kernel<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, last_tile)
}  // namespace redbench
