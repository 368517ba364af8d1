// What the wrong kernels of segreduce share: tiles of 64 values, each gone through by one thread, right but
// for the fault in their file. No segment of the default cut is as long as a tile.
//
// A tile's part of a segment that starts in it goes to the segment's result at once. The part of a segment
// that started before the tile is the tile's carry; a second launch appends the carries.
#pragma once

#include "kernels/parts/fill.hpp"
#include "kernels/segreduce/problem.hpp"
#include "tests/wrong/few_pairs.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

inline constexpr Index wrong_tile = 64;

/// The values and owners of a launch, its result, and for each tile whether it has a carry, and which.
template <class Op>
struct Tiles {
  using Value = typename Op::Value;
  const Value* values;
  const u32* owners;
  Index n;
  Value* result;
  Value* carries;
  u32* has_carry;
};

/// Reduces the values of one owner from `at` on, up to `end`, and moves `at` behind them.
template <class Op>
__device__ typename Op::Value reduce_part(const Tiles<Op>& x, Index& at, Index end) {
  const Op op;
  const u32 owner = x.owners[at];
  auto reduction = x.values[at];
  for (++at; at < end && x.owners[at] == owner; ++at) reduction = op(reduction, x.values[at]);
  return reduction;
}

/// Writes the parts of all segments that start at `at` or later, up to `end`.
template <class Op>
__device__ void write_parts(const Tiles<Op>& x, Index at, Index end) {
  while (at < end) {
    const u32 owner = x.owners[at];
    x.result[owner] = reduce_part(x, at, end);
  }
}

/// A tile's carry, if it has one, and its other parts.
template <class Op>
__global__ void reduce_tile(Tiles<Op> x) {
  Index at = Index(blockIdx.x) * wrong_tile;
  const Index end = at + wrong_tile < x.n ? at + wrong_tile : x.n;
  x.has_carry[blockIdx.x] = at > 0 && x.owners[at - 1] == x.owners[at];
  if (x.has_carry[blockIdx.x]) x.carries[blockIdx.x] = reduce_part(x, at, end);
  write_parts(x, at, end);
}

template <class Op>
__device__ void append_carry(const Tiles<Op>& x, Index tile) {
  if (!x.has_carry[tile]) return;
  typename Op::Value& result = x.result[x.owners[tile * wrong_tile]];
  result = Op()(result, x.carries[tile]);
}

template <class Op>
__global__ void append_carries(Tiles<Op> x, Index tiles) {
  for (Index tile = 0; tile < tiles; ++tile) append_carry(x, tile);
}

/// The two launches; the result holds the identity.
template <class Op>
void run_tiles(Queue& queue, const SegReduce<Op>& x, void (*tile_kernel)(Tiles<Op>),
               void (*carries_kernel)(Tiles<Op>, Index)) {
  x.needs_owners(queue);
  const Index count = ceil_div(x.n, wrong_tile);
  const Tiles<Op> tiles{
      x.values, x.owners, x.n, x.result, queue.scratch<typename Op::Value>(count), queue.scratch<u32>(count)};
  queue.chain(wrong_tile + count);
  if (count == 0) return;
  launch(queue, {.blocks = count, .threads = 1}, tile_kernel, tiles);
  launch(queue, {.blocks = 1, .threads = 1}, carries_kernel, tiles, count);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
