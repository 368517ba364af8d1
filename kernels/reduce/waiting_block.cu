// Model: n values read, one launch. Behind the last load come a block's tree, a store that the waiting block
// sees (one way to L2 and the round trip of its load) and its tree. The atomic of the start number is answered
// while the input is on its way.
#include "kernels/reduce/waiting_block.hpp"

namespace redbench {
namespace {

__device__ WaitingState state;

template <class Op, int loads>
__global__ void __launch_bounds__(one_launch_block.maximum, loads <= 4 ? 2 : 1)
    tiles_then_waiting_block(const typename Op::Value* in, Index n, unsigned tile,
                             typename Op::Result* result) {
  const unsigned number = start_number(state);  // known by the time that the input is
  const auto reduction = block_total<Accumulator<Op>>(tiled_share<Op, loads>(in, n, tile));
  finish_in_waiting_block<Op>(reduction, number, state, result);
}

struct waiting_block {
  static constexpr Card card{
      .title = "one launch: the block that starts last waits for the others' results",
      .source = "Merrill and Garland 2016, decoupled look-back: a flag in the word of its value",
      .order = Order::commutative,
      .minimum_capability = 80,
      .narrow = true,
      .parameters = {{one_launch_block, one_launch_loads, one_launch_per_sm, one_launch_waves}}};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    with_loads<one_launch_loads>(queue, [&](auto loads) {
      const auto kernel = tiles_then_waiting_block<Op, loads>;
      const Cover cover = cover_by_tiles<typename Op::Value>(queue, kernel, x.n, waiting_block_most);
      launch_over(queue, x, cover, kernel);
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, waiting_block)
}  // namespace redbench
