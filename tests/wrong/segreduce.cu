// Wrong segmented reductions: one thread goes through each tile of 64 values. Right but for the fault that
// each is named after. No segment of the default cut is as long as a tile.
//
// A tile's part of a segment that starts in it goes to the segment's result at once. The part of a segment
// that started before the tile is the tile's carry; a second launch appends the carries.
#include "kernels/parts/fill.hpp"
#include "kernels/segreduce/problem.hpp"
#include "tests/wrong/wrong_variant.hpp"

namespace redbench {
namespace {

constexpr Index wrong_tile = 64;

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

/// Caught by empty segments among others: without any input the result is there.
WRONG_VARIANT(SegReduce, empty_unwritten, FewPairs, "a segment without values keeps what was there", {
  if (x.n == 0) fill(queue, x.result, x.m, Op::identity());
  run_tiles(queue, x, reduce_tile<Op>, append_carries<Op>);
})

/// Caught by segments that begin before a tile and fill it.
template <class Op>
__global__ void carry_lost(Tiles<Op> x) {
  Index at = Index(blockIdx.x) * wrong_tile;
  const Index border = at + wrong_tile, end = border < x.n ? border : x.n;
  x.has_carry[blockIdx.x] = at > 0 && x.owners[at - 1] == x.owners[at];
  if (x.has_carry[blockIdx.x]) x.carries[blockIdx.x] = reduce_part(x, at, end);
  if (at == border) x.has_carry[blockIdx.x] = 0;
  write_parts(x, at, end);
}
WRONG_VARIANT(SegReduce, carry_lost, FewPairs, "hands a carry on only where a segment ends in the tile", {
  fill(queue, x.result, x.m, Op::identity());
  run_tiles(queue, x, carry_lost<Op>, append_carries<Op>);
})

/// Caught by the non-commutative operators, where a segment crosses two borders of tiles.
template <class Op>
__global__ void carries_swapped(Tiles<Op> x, Index tiles) {
  for (Index tile = tiles; tile-- > 0;) append_carry(x, tile);
}
WRONG_VARIANT(SegReduce, carries_swapped, FewPairs, "appends the last carry first", {
  fill(queue, x.result, x.m, Op::identity());
  run_tiles(queue, x, reduce_tile<Op>, carries_swapped<Op>);
})

/// Caught by segments that start with a tile, not the first, and fill it.
template <class Op>
__global__ void tile_twice(Tiles<Op> x) {
  const Index first = Index(blockIdx.x) * wrong_tile, border = first + wrong_tile;
  const Index end = border < x.n ? border : x.n;
  const bool goes_on = first > 0 && x.owners[first - 1] == x.owners[first];
  Index at = first;
  const auto part = reduce_part(x, at, end);
  x.has_carry[blockIdx.x] = goes_on || (first > 0 && at == border);
  x.carries[blockIdx.x] = part;
  if (!goes_on) x.result[x.owners[first]] = part;
  write_parts(x, at, end);
}
WRONG_VARIANT(SegReduce, tile_twice, FewPairs, "a tile of one segment is handed on though it was written", {
  fill(queue, x.result, x.m, Op::identity());
  run_tiles(queue, x, tile_twice<Op>, append_carries<Op>);
})

/// Caught by the comparison of the inputs with what was uploaded: of all of them, not of the values alone.
template <class Op>
__global__ void writes_owners(Tiles<Op> x, Index tiles) {
  for (Index tile = 0; tile < tiles; ++tile) append_carry(x, tile);
  const_cast<u32*>(x.owners)[x.n - 1] = 0;
}
WRONG_VARIANT(SegReduce, writes_owners, FewPairs, "writes its owners", {
  fill(queue, x.result, x.m, Op::identity());
  run_tiles(queue, x, reduce_tile<Op>, writes_owners<Op>);
})

}  // namespace
}  // namespace redbench
