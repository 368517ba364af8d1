// What the wrong kernels of multiscan share: tiles of 64 inputs, each gone through by one thread with buckets
// of its own, and joined by the partitioning scheme; right but for the fault in their file.
#pragma once

#include "kernels/multiscan/partitioned_scan.hpp"
#include "kernels/parts/fill.hpp"
#include "tests/wrong/few_pairs.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

inline constexpr Index wrong_tile = 64;
/// Buckets of 2^14 tiles would take most of the battery's time.
struct ShortInputs : FewPairs {
  static constexpr Card rest{.title = "", .source = "tests/wrong", .maximum_n = Index(1) << 17};
};

/// The inputs, and buckets of which that of label l and a tile is at l * gridDim.x + tile.
template <class Op>
struct Tiles {
  using Value = typename Op::Value;
  const u32* labels;
  const Value* values;
  Index n, m;
  Value* buckets;
  Value* result;
  bool inclusive;
};

/// Scans a block's tile on its buckets.
template <class Op>
__device__ void scan_own_tile(const Tiles<Op>& x) {
  const Index first = Index(blockIdx.x) * wrong_tile, border = first + wrong_tile;
  const Index end = border < x.n ? border : x.n;
  for (Index i = first; i < end; ++i) {
    auto& bucket = x.buckets[Index(x.labels[i]) * gridDim.x + blockIdx.x];
    const auto before = bucket;
    bucket = Op()(before, x.values[i]);
    x.result[i] = x.inclusive ? bucket : before;
  }
}

template <class Op>
__global__ void scan_tile(Tiles<Op> x) {
  scan_own_tile(x);
}

/// The three phases, with `tile_kernel` for the first and scan(queue, m, tiles, buckets, before) for the
/// second. `cleared`: the buckets are the identity before.
template <class Op, class Scan>
void run_tiles(Queue& queue, const Multiscan<Op>& x, void (*tile_kernel)(Tiles<Op>), const Scan& scan,
               bool cleared = true) {
  if (x.n == 0) return;
  using T = typename Op::Value;
  const Index tiles = ceil_div(x.n, wrong_tile);
  T* const buckets = queue.scratch<T>(x.m * tiles);
  T* const before = queue.scratch<T>(x.m * tiles);
  if (cleared) fill(queue, buckets, x.m * tiles, Op::identity());
  launch(queue, {.blocks = tiles, .threads = 1}, tile_kernel,
         Tiles<Op>{x.labels, x.values, x.n, x.m, buckets, x.result, x.inclusive});
  scan(queue, x.m, tiles, buckets, before);
  put_before(queue, x, tiles, wrong_tile, before);
  queue.chain(wrong_tile + partitioned_scan_chain(tiles));
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
