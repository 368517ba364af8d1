// What the wrong kernels of multireduce share: tiles of 64 inputs, each gone through by one thread with a set
// of buckets of its own; the sets are then joined. Right but for the fault in their file.
#pragma once

#include "kernels/multireduce/bucket_sets.hpp"
#include "kernels/multireduce/problem.hpp"
#include "tests/wrong/few_pairs.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

inline constexpr Index wrong_tile = 64;

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
inline Index wrong_tiles(Index n) { return n > 0 ? ceil_div(n, wrong_tile) : 1; }

/// All tiles into a set each.
template <class Op>
void reduce_tiles(Queue& queue, const Multireduce<Op>& x, Index dropped, typename Op::Value* sets) {
  launch(queue, {.blocks = wrong_tiles(x.n), .threads = 1}, reduce_tile<Op>, x, dropped, sets);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
