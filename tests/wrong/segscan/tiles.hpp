// What the wrong kernels of segscan share: a thread goes through each tile of 64 values, after one before it
// has made the carries; right but for the fault in their file.
#pragma once

#include "kernels/segscan/problem.hpp"
#include "tests/wrong/few_pairs.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

inline constexpr Index wrong_tile = 64;

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

}  // namespace REDBENCH_TARGET
}  // namespace redbench
