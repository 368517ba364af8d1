// Model: waiting_block's, and for each row of a warp's vectors five shuffles for every four bytes of a value.
#include "kernels/reduce/waiting_block.hpp"

namespace redbench {
namespace {

__device__ WaitingState state;

template <class Op, int loads>
__global__ void __launch_bounds__(one_launch_block.maximum, 1)
    rows_then_waiting_block(const typename Op::Value* in, Index n, Index rows, typename Op::Result* result) {
  const unsigned number = start_number(state);  // known by the time that the input is
  const auto reduction = total_of_warps<Accumulator<Op>>(ordered_share<Op, loads>(in, n, rows));
  finish_in_waiting_block<Op>(reduction, number, state, result);
}

struct waiting_block_ordered {
  static constexpr Card card{
      .title = "one launch in input order: the block that starts last waits for the others' results",
      .source = "Merrill and Garland 2016, decoupled look-back: a flag in the word of its value",
      .order = Order::any,
      .minimum_capability = 80,
      .parameters = {{one_launch_block, ordered_loads, one_launch_per_sm, one_launch_waves}}};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    with_loads<ordered_loads>(queue, [&](auto loads) {
      const auto kernel = rows_then_waiting_block<Op, loads>;
      using T = typename Op::Value;
      // Without a whole vector a warp would have no row.
      const Index n = std::max<Index>(x.n, vector_width<T>);
      const Cover cover = cover_in_order<T>(queue, kernel, n, waiting_block_most);
      launch_over(queue, x, cover, kernel);
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, waiting_block_ordered)
}  // namespace redbench
