// Wrong multireduces: one thread goes through each tile of 64 inputs with a set of buckets of its own; the
// sets are then joined. Right but for the fault that each is named after.
#include "kernels/multireduce/bucket_sets.hpp"
#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/fill.hpp"
#include "tests/wrong/wrong_variant.hpp"

namespace redbench {
namespace {

constexpr Index wrong_tile = 64;

/// Combines the block's tile into set blockIdx.x, but for the inputs whose label is `dropped`.
template <class Op>
__global__ void reduce_tile(Multireduce<Op> x, Index dropped, typename Op::Value* sets) {
  const Index first = Index(blockIdx.x) * wrong_tile, border = first + wrong_tile;
  for (Index i = first; i < border && i < x.n; ++i) {
    auto& bucket = sets[Index(x.labels[i]) * gridDim.x + blockIdx.x];
    if (Index(x.labels[i]) != dropped) bucket = Op()(bucket, x.values[i]);
  }
}

/// How many tiles there are, at least one.
Index wrong_tiles(Index n) { return n > 0 ? ceil_div(n, wrong_tile) : 1; }

/// All tiles into a set each.
template <class Op>
void reduce_tiles(Queue& queue, const Multireduce<Op>& x, Index dropped, typename Op::Value* sets) {
  launch(queue, {.blocks = wrong_tiles(x.n), .threads = 1}, reduce_tile<Op>, x, dropped, sets);
}

/// Caught by an input of the last label.
WRONG_VARIANT(Multireduce, label_dropped, FewPairs, "drops the inputs of label m - 1", {
  const Index tiles = wrong_tiles(x.n);
  auto* const sets = queue.scratch<typename Op::Value>(x.m * tiles);
  fill(queue, sets, x.m * tiles, Op::identity());
  reduce_tiles(queue, x, x.m - 1, sets);
  reduce_sets<Op>(queue, x.m, tiles, sets, x.result);
})

/// Caught by labels that occur twice in a warp: read, combine and write without an atomic.
template <class Op>
__global__ void lost_update(Multireduce<Op> x) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto before = i < x.n ? x.result[x.labels[i]] : Op::identity();
  __syncwarp();
  if (i < x.n) x.result[x.labels[i]] = Op()(before, x.values[i]);
}
WRONG_VARIANT(Multireduce, lost_update, FewPairs, "of equal labels in a warp one is combined", {
  fill(queue, x.result, x.m, Op::identity());
  if (x.n > 0) launch(queue, {.blocks = ceil_div(x.n, warp_size), .threads = warp_size}, lost_update<Op>, x);
})

/// Caught by what scratch memory held before: buckets start with what the last run left in them.
WRONG_VARIANT(Multireduce, not_cleared, FewPairs, "does not clear the buckets of its sets", {
  const Index tiles = wrong_tiles(x.n);
  auto* const sets = queue.scratch<typename Op::Value>(x.m * tiles);
  reduce_tiles(queue, x, x.m, sets);
  reduce_sets<Op>(queue, x.m, tiles, sets, x.result);
})

/// Caught by the non-commutative operators, where a label occurs in two tiles.
template <class Op>
__global__ void sets_swapped(const typename Op::Value* sets, Index tiles, typename Op::Value* result) {
  auto reduction = Op::identity();
  for (Index i = Index(blockIdx.x + 1) * tiles - 1; i >= Index(blockIdx.x) * tiles; --i)
    reduction = Op()(reduction, sets[i]);
  result[blockIdx.x] = reduction;
}
WRONG_VARIANT(Multireduce, sets_swapped, FewPairs, "joins the sets from the last to the first", {
  const Index tiles = wrong_tiles(x.n);
  auto* const sets = queue.scratch<typename Op::Value>(x.m * tiles);
  fill(queue, sets, x.m * tiles, Op::identity());
  reduce_tiles(queue, x, x.m, sets);
  launch(queue, {.blocks = x.m, .threads = 1}, sets_swapped<Op>, sets, tiles, x.result);
})

}  // namespace
}  // namespace redbench
