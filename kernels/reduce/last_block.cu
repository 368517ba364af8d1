// Model: n values read, one launch. Behind the last load come a block's tree, a store and an ordered atomic
// (two round trips to L2), the last block's loads of the partial results (a third) and its tree.
#include "kernels/reduce/last_block.hpp"

namespace redbench {
namespace {

// Zero when the program is loaded, and after each launch. Launches that use it must follow each other, as
// those of one stream do.
__device__ unsigned ticket;

template <class Op, int loads>
__global__ void __launch_bounds__(one_launch_block.maximum, loads <= 4 ? 2 : 1)
    tiles_then_last_block(const typename Op::Value* in, Index n, unsigned tile,
                          typename Accumulator<Op>::Value* partial, typename Op::Result* result) {
  const auto reduction = block_total<Accumulator<Op>>(tiled_share<Op, loads>(in, n, tile));
  finish_in_last_block<Op>(reduction, partial, &ticket, result);
}

struct last_block {
  static constexpr Card card{
      .title = "one launch: the block that takes the last ticket reduces the blocks' results",
      .source = "CUDA samples, threadFenceReduction; CUDA C++ Programming Guide, memory fence functions",
      .order = Order::commutative,
      .minimum_capability = 80,
      .narrow = true,
      .parameters = {{one_launch_block, one_launch_loads, one_launch_per_sm, one_launch_waves}}};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    with_loads<one_launch_loads>(queue, [&](auto loads) {
      const auto kernel = tiles_then_last_block<Op, loads>;
      const Cover cover = cover_by_tiles<typename Op::Value>(queue, kernel, x.n, last_block_most);
      launch_over(queue, x, cover, kernel, queue.scratch<typename Accumulator<Op>::Value>(cover.blocks));
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, last_block)
}  // namespace redbench
