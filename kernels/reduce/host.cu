// Model: n / GPUs values read by each GPU, one launch for each; then a copy of each result to the host, which takes
// about 10 us, the join there, and a copy back.
#include "kernels/reduce/share_of_gpu.hpp"

namespace redbench {
namespace {

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

struct host {
  static constexpr Card card{
      .title = "several GPUs, one launch each: their results are joined by the CPU",
      .source = "CUDA samples, simpleMultiGPU",
      .order = Order::commutative,
      .minimum_capability = 80,
      .synchronizes = true,
      .parameters = {{one_launch_block, one_launch_loads, one_launch_per_sm, one_launch_waves}}};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    using T = typename Op::Result;
    const Rank rank = this_rank();
    with_loads<one_launch_loads>(queue, [&](auto loads) {
      const auto kernel = tiles_of_gpu<Op, loads>;
      const Cover cover = cover_by_tiles<typename Op::Value>(queue, kernel, x.n, last_block_most);
      auto* const partial = queue.scratch<typename Accumulator<Op>::Value>(cover.blocks);
      launch_over(queue, x, cover, kernel, partial, rank.number);
      // Results of each GPU are rounded to the result's type before they are joined in it.
      queue.chain(chain_over_gpus<Op>(cover, 0) + rank.count);
    });
    join_on_host(queue, x.result, sizeof(T), [&](void* all) {
      T* const of_gpu = static_cast<T*>(all);
      for (int r = 1; r < rank.count; ++r) of_gpu[0] = OnResults<Op>()(of_gpu[0], of_gpu[r]);
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, host)
}  // namespace redbench
