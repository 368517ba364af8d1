// Model: as last_block, and 5 shuffles of each word of a value for each row of 32 vectors, where a warp's lanes
// meet in input order. A multiprocessor gets a row of 512 bytes every 26 cycles at the rate of memory and
// shuffles a warp's words in one: 5 of 26 cycles for 4 bytes, 20 for 16.
#include "kernels/reduce/last_block.hpp"

namespace redbench {
namespace {

// As in last_block.
__device__ unsigned ticket;

template <class Op, int loads>
__global__ void __launch_bounds__(one_launch_block.maximum, 1)
    rows_then_last_block(const typename Op::Value* in, Index n, Index rows,
                         typename Accumulator<Op>::Value* partial, typename Op::Result* result) {
  const auto reduction = total_of_warps<Accumulator<Op>>(ordered_share<Op, loads>(in, n, rows));
  finish_in_last_block<Op>(reduction, partial, &ticket, result);
}

struct last_block_ordered {
  static constexpr Card card{
      .title = "one launch in input order: warps take neighbouring rows, the last block their results",
      .source = "CUDA samples, threadFenceReduction; CUDA C++ Programming Guide, memory fence functions",
      .order = Order::any,
      .minimum_capability = 80,
      .parameters = {{one_launch_block, ordered_loads, one_launch_per_sm, one_launch_waves}}};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    with_loads<ordered_loads>(queue, [&](auto loads) {
      const auto kernel = rows_then_last_block<Op, loads>;
      const Cover cover = cover_in_order<typename Op::Value>(queue, kernel, x.n, last_block_most);
      launch_over(queue, x, cover, kernel, queue.scratch<typename Accumulator<Op>::Value>(cover.blocks));
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, last_block_ordered)
}  // namespace redbench
