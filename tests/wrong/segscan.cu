// Wrong segmented scans: one thread scans each tile of 64 values, from where it takes the tile's first
// segment to begin.
#include "kernels/parts/look_back.hpp"
#include "kernels/segscan/problem.hpp"
#include "tests/wrong/wrong_variant.hpp"

namespace redbench {
namespace {

constexpr Index wrong_tile = 64;

/// The first value of input i's segment.
template <class Op>
__device__ Index start_of(const SegScan<Op>& x, Index i) {
  while (i > 0 && x.owners[i - 1] == x.owners[i]) --i;
  return i;
}

/// Scans the values of a block's tile, whose first has the reduction of `from` to it before it.
template <class Op>
__device__ void scan_tile(const SegScan<Op>& x, Index from) {
  const Index first = Index(blockIdx.x) * wrong_tile, border = first + wrong_tile;
  const Index end = border < x.n ? border : x.n;
  auto before = Op::identity();
  for (Index i = from; i < end; ++i) {
    if (i > first && x.owners[i] != x.owners[i - 1]) before = Op::identity();
    if (i >= first) x.result[i] = before;
    before = Op()(before, x.values[i]);
  }
}

template <class Op>
void run_tiles(Queue& queue, const SegScan<Op>& x, void (*kernel)(SegScan<Op>)) {
  if (x.n == 0) return;
  launch(queue, {.blocks = ceil_div(x.n, wrong_tile), .threads = 1}, kernel, x);
  queue.chain(x.n);
}

/// Caught by segments that begin before a tile.
template <class Op>
__global__ void carry_lost(SegScan<Op> x) {
  scan_tile(x, Index(blockIdx.x) * wrong_tile);
}
WRONG_VARIANT(SegScan, carry_lost, FewPairs, "each tile begins anew",
              { run_tiles(queue, x, carry_lost<Op>); })

/// Caught by segments that start with a tile, not the first: they get the carry of the one before.
template <class Op>
__global__ void not_restarted(SegScan<Op> x) {
  const Index first = Index(blockIdx.x) * wrong_tile;
  scan_tile(x, start_of(x, first > 0 ? first - 1 : 0));
}
WRONG_VARIANT(SegScan, not_restarted, FewPairs, "a tile never begins with a segment",
              { run_tiles(queue, x, not_restarted<Op>); })

/// A warp scans a tile, which tells `status` of what follows the last start in it; the first one is complete.
template <class Op>
__device__ void scan_with_states(const SegScan<Op>& x, TileStates<typename Op::Value> states, u32 status) {
  const bool leads = threadIdx.x == 0;
  const Index tile = shuffle(full_mask, leads ? states.take() : 0, 0), first = tile * wrong_tile;
  const Index end = min(first + wrong_tile, x.n);
  const auto starts_at = [&](Index i) { return i == 0 || x.owners[i] != x.owners[i - 1]; };
  auto sum = Op::identity();
  for (Index i = first; i < end; ++i) sum = starts_at(i) ? x.values[i] : Op()(sum, x.values[i]);
  if (leads) states.tell(tile, tile == 0 ? TileStatus::complete : status, sum);
  auto before = tile == 0 ? Op::identity() : reduce_earlier<Op>(states, tile, 20);
  if (!leads) return;
  // So that no tile looks back to the first one.
  if (status == TileStatus::partial) states.tell(tile, TileStatus::complete, Op()(before, sum));
  for (Index i = first; i < end; ++i) {
    if (starts_at(i)) before = Op::identity();
    x.result[i] = before;
    before = Op()(before, x.values[i]);
  }
}
template <class Op>
void run_with_states(Queue& queue, const SegScan<Op>& x,
                     void (*kernel)(SegScan<Op>, TileStates<typename Op::Value>)) {
  if (x.n == 0) return;
  const Index tiles = ceil_div(x.n, wrong_tile);
  launch(queue, {.blocks = tiles, .threads = warp_size}, kernel, x,
         TileStates<typename Op::Value>::scratch(queue, tiles));
  queue.chain(x.n);
}

/// Caught by a segment that starts within a tile and goes on in the next: it gets what comes before its start.
template <class Op>
__global__ void start_passed(SegScan<Op> x, TileStates<typename Op::Value> states) {
  scan_with_states(x, states, TileStatus::partial);
}
WRONG_VARIANT(SegScan, start_passed, FewPairs, "what a tile with a start tells is taken for a part",
              { run_with_states(queue, x, start_passed<Op>); })

/// Caught by a segment over three tiles: the last one gets what is in the second alone.
template <class Op>
__global__ void complete_early(SegScan<Op> x, TileStates<typename Op::Value> states) {
  scan_with_states(x, states, TileStatus::complete);
}
WRONG_VARIANT(SegScan, complete_early, FewPairs, "a tile's own reduction is taken for all before the next",
              { run_with_states(queue, x, complete_early<Op>); })

}  // namespace
}  // namespace redbench
