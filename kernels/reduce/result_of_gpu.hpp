// The result of each GPU's part of the inputs, in one launch, for variants whose last step is no kernel.
#pragma once

#include "kernels/reduce/share_of_gpu.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {
namespace {  // each variant has its ticket

/// With what all of their cards say.
constexpr Card card_of_results(Card card) {
  card.order = Order::commutative;
  card.minimum_capability = 80;
  card.parameters = {{one_launch_block, one_launch_loads, one_launch_per_sm, one_launch_waves}};
  return card;
}

// As last_block's; one for each GPU, as modelled GPUs share such variables.
__device__ unsigned ticket[most_gpus];

template <class Op, int loads>
__global__ void __launch_bounds__(one_launch_block.maximum, loads <= 4 ? 2 : 1)
    tiles_of_gpu(const typename Op::Value* in, Index n, unsigned tile,
                 typename Accumulator<Op>::Value* partial, int rank, typename Op::Result* result) {
  using Acc = Accumulator<Op>;
  auto reduction = block_total<Acc>(tiled_share<Op, loads>(in, n, tile));
  if (has_all<Acc>(reduction, partial, &ticket[rank])) *result = typename Op::Result(reduction);
}

/// Leaves the reduction of the rank's part in x.result.
template <class Op>
void result_of_gpu(Queue& queue, const Reduce<Op>& x) {
  const Rank rank = this_rank();
  with_loads<one_launch_loads>(queue, [&](auto loads) {
    const auto kernel = tiles_of_gpu<Op, loads>;
    const Cover cover = cover_by_tiles<typename Op::Value>(queue, kernel, x.n, last_block_most);
    auto* const partial = queue.scratch<typename Accumulator<Op>::Value>(cover.blocks);
    launch_over(queue, x, cover, kernel, partial, rank.number);
    // Results of each GPU are rounded to the result's type before they are joined in it.
    queue.chain(chain_over_gpus<Op>(cover, 0) + rank.count);
  });
}

}  // namespace
}  // namespace REDBENCH_TARGET
}  // namespace redbench
