// Wrong segmented scans: one thread scans each tile of 64 values, from where it takes the tile's first
// segment to begin.
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

}  // namespace
}  // namespace redbench
