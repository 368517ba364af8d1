// Model: n / GPUs values read by each GPU, one launch for each. Behind last_block's local part come, for each level of
// the tree, a store to a peer's memory and the flag behind it (a trip over NVLink, about 1 us), which the peer waits
// for in its own memory.
#include "kernels/reduce/share_of_gpu.hpp"

namespace redbench {
namespace {

// As last_block's; one for each GPU, as modelled GPUs share such variables.
__device__ unsigned ticket[most_gpus];

/// The place of a GPU in the tree, and what of each GPU its peers access.
template <class T>
struct Tree {
  int rank, gpus;
  OnEach<T> inbox;    // [sender]
  OnEach<u32> flags;  // [sender]: 1 while its value in the inbox waits to be taken
};

/// Takes the reductions of later GPUs in, in the order of the ranks. False where the reduction was sent to an earlier one.
template <class Acc>
__device__ __forceinline__ bool joins(const Tree<typename Acc::Value>& tree, typename Acc::Value& reduction) {
  for (int distance = 1; distance < tree.gpus; distance *= 2) {
    const int other = tree.rank % (2 * distance) == 0 ? tree.rank + distance : tree.rank - distance;
    if (other < tree.rank) {
      tree.inbox.of[other][tree.rank] = reduction;
      release_system(&tree.flags.of[other][tree.rank], 1);
      return false;
    }
    if (other >= tree.gpus) continue;
    u32* const flag = &tree.flags.of[tree.rank][other];
    while (acquire_system(flag) == 0) {
    }
    relaxed_store(flag, 0);
    reduction = Acc()(reduction, tree.inbox.of[tree.rank][other]);
  }
  return true;
}

template <class Op, int loads>
__global__ void __launch_bounds__(one_launch_block.maximum, loads <= 4 ? 2 : 1)
    tiles_then_tree(const typename Op::Value* in, Index n, unsigned tile,
                    typename Accumulator<Op>::Value* partial, Tree<typename Accumulator<Op>::Value> tree,
                    typename Op::Result* result) {
  using Acc = Accumulator<Op>;
  auto reduction = block_total<Acc>(tiled_share<Op, loads>(in, n, tile));
  if (!has_all<Acc>(reduction, partial, &ticket[tree.rank])) return;
  if (joins<Acc>(tree, reduction)) *result = typename Op::Result(reduction);
}

struct peer {
  static constexpr Card card{
      .title = "several GPUs, one launch each: a tree over the memory of peers, by flags of system scope",
      .source = "CUDA C++ Programming Guide, peer-to-peer memory access, memory fence functions",
      .order = Order::commutative,
      .minimum_capability = 80,
      .parameters = {{one_launch_block, one_launch_loads, one_launch_per_sm, one_launch_waves}}};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    using T = typename Accumulator<Op>::Value;
    const Rank rank = this_rank();
    with_loads<one_launch_loads>(queue, [&](auto loads) {
      const auto kernel = tiles_then_tree<Op, loads>;
      const Cover cover = cover_by_tiles<typename Op::Value>(queue, kernel, x.n, last_block_most);
      T* const partial = queue.scratch<T>(cover.blocks);
      const Tree<T> tree{rank.number, rank.count, on_each(queue.scratch<T>(most_gpus)), flags_on_each()};
      launch_over(queue, x, cover, kernel, partial, tree);
      queue.chain(chain_over_gpus<Op>(cover, rank.count));
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, peer)
}  // namespace redbench
