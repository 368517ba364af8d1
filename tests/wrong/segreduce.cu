// Wrong segmented reductions: one thread goes through each tile of 64 values. Right but for the fault that
// each is named after. No segment of the default cut is as long as a tile.
//
// A tile's part of a segment that starts in it goes to the segment's result at once. The part of a segment
// that started before the tile is the tile's carry; a second launch appends the carries.
#include "kernels/parts/fill.hpp"
#include "kernels/segreduce/ranges.hpp"
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

// The same tiles as ranges (kernels/segreduce/ranges.hpp): one thread goes through each, and one joins them.

/// A tile as a range. `before` is the owner of the value before it.
template <class Op>
__device__ Range<Op> range_of(const Tiles<Op>& x, Index at, Index end, u32 before) {
  auto range = Range<Op>::empty();
  for (; at < end; ++at) {
    const Range<Op> ended{Op::identity(), Op::identity(), before};
    if (x.owners[at] != before) range.append(ended, [&](Index i, auto value) { x.result[i] = value; });
    before = x.owners[at];
    range.tail = Op()(range.tail, x.values[at]);
  }
  return range;
}

template <class Op>
__device__ void leave_range(const BlockRanges<typename Op::Value>& ranges, const Range<Op>& range) {
  ranges.heads[blockIdx.x] = range.head;
  ranges.tails[blockIdx.x] = range.tail;
  ranges.ended[blockIdx.x] = range.ended;
}

template <class Op>
__global__ void range_of_tile(Tiles<Op> x, BlockRanges<typename Op::Value> ranges) {
  const Index first = Index(blockIdx.x) * wrong_tile, behind = first + wrong_tile;
  const u32 before = first > 0 ? x.owners[first - 1] : u32(before_all);
  leave_range(ranges, range_of(x, first, behind < x.n ? behind : x.n, before));
}

template <class Op>
using RangeKernel = void(Tiles<Op>, BlockRanges<typename Op::Value>);
template <class Op>
using JoinKernel = void(BlockRanges<typename Op::Value>, Index, Segments<typename Op::Value>);

/// The two launches; empty segments hold the identity.
template <class Op>
void run_ranges(Queue& queue, const SegReduce<Op>& x, RangeKernel<Op>* of_tile, JoinKernel<Op>* join) {
  x.needs_owners(queue);
  fill(queue, x.result, x.m, Op::identity());
  const Index count = ceil_div(x.n, wrong_tile);
  const auto ranges = block_ranges<typename Op::Value>(queue, count + 1);
  queue.chain(wrong_tile + count);
  if (count == 0) return;
  launch(queue, {.blocks = count, .threads = 1}, of_tile,
         Tiles<Op>{x.values, x.owners, x.n, x.result, nullptr, nullptr}, ranges);
  launch(queue, {.threads = warp_size}, join, ranges, count,
         Segments<typename Op::Value>{x.result, x.m, x.owners + x.n - 1});
}

/// Thread 0 joins the ranges as `append` does it.
template <class Op, class Append>
__device__ void join_ranges(const BlockRanges<typename Op::Value>& ranges, Index count,
                            const Segments<typename Op::Value>& segments, Append append) {
  if (threadIdx.x > 0) return;
  auto all = Range<Op>::empty();
  for (Index i = 0; i < count; ++i) append(all, {ranges.heads[i], ranges.tails[i], ranges.ended[i]});
  finish<Op>(all, segments);
}

/// Caught by a segment over three tiles.
template <class Op>
__global__ void middle_forgotten(BlockRanges<typename Op::Value> ranges, Index count,
                                 Segments<typename Op::Value> segments) {
  join_ranges<Op>(ranges, count, segments, [&](Range<Op>& all, const Range<Op>& next) {
    if (next.ends()) all.append(next, [&](Index i, auto value) { segments.result[i] = value; });
  });
}
WRONG_VARIANT(SegReduce, middle_forgotten, FewPairs, "joins only ranges in which a segment ends",
              { run_ranges(queue, x, range_of_tile<Op>, middle_forgotten<Op>); })

/// Caught by the non-commutative operators, where a segment crosses a border of tiles.
template <class Op>
__global__ void head_first(BlockRanges<typename Op::Value> ranges, Index count,
                           Segments<typename Op::Value> segments) {
  join_ranges<Op>(ranges, count, segments, [&](Range<Op>& all, Range<Op> next) {
    auto& part = next.ends() ? next.head : next.tail;
    part = Op()(part, all.tail);
    all.tail = Op::identity();
    all.append(next, [&](Index i, auto value) { segments.result[i] = value; });
  });
}
WRONG_VARIANT(SegReduce, head_first, FewPairs, "puts a head before the tails that it follows",
              { run_ranges(queue, x, range_of_tile<Op>, head_first<Op>); })

/// Caught by the same with sums: all parts before the last tile's are lost.
template <class Op>
__global__ void head_written(Tiles<Op> x, BlockRanges<typename Op::Value> ranges) {
  const Index first = Index(blockIdx.x) * wrong_tile, behind = first + wrong_tile;
  const u32 before = first > 0 ? x.owners[first - 1] : u32(before_all);
  auto range = range_of(x, first, behind < x.n ? behind : x.n, before);
  if (blockIdx.x > 0 && range.ends()) x.result[range.ended] = range.head;
  if (blockIdx.x > 0) range.ended = no_segment;
  leave_range(ranges, range);
}
WRONG_VARIANT(SegReduce, head_written, FewPairs, "takes a tile's head for a whole segment",
              { run_ranges(queue, x, head_written<Op>, join_blocks<Op>); })

/// Caught by segments that begin with a tile and fill it.
template <class Op>
__global__ void border_unseen(Tiles<Op> x, BlockRanges<typename Op::Value> ranges) {
  const Index first = Index(blockIdx.x) * wrong_tile, border = first + wrong_tile;
  const Index end = border < x.n ? border : x.n;
  const bool reads_owners = first == 0 || x.owners[first] != x.owners[end - 1];
  const u32 before = first > 0 ? x.owners[first - 1] : u32(before_all);
  auto range = Range<Op>::empty();
  if (reads_owners) range = range_of(x, first, end, before);
  else
    for (Index at = first; at < end; ++at) range.tail = Op()(range.tail, x.values[at]);
  leave_range(ranges, range);
}
WRONG_VARIANT(SegReduce, border_unseen, FewPairs, "skips owners by the first and last of a tile alone",
              { run_ranges(queue, x, border_unseen<Op>, join_blocks<Op>); })

/// Caught by the race check: results are staged in shared memory and written without a wait for them.
template <class Op>
__global__ void stage_unsynced(Tiles<Op> x, Index m) {
  __shared__ typename Op::Value stage[wrong_tile];
  const unsigned lane = threadIdx.x;
  if (lane < m) stage[lane] = Op::identity();
  __syncwarp();
  for (Index at = 0; lane == 0 && at < x.n; ++at)
    stage[x.owners[at]] = Op()(stage[x.owners[at]], x.values[at]);
  if (lane < m) x.result[lane] = stage[lane];
}
WRONG_VARIANT(SegReduce, stage_unsynced, FewPairs, "writes staged results before they are there", {
  x.needs_owners(queue);
  if (x.n > wrong_tile || x.m > warp_size) queue.refuse("one warp, for a tile and 32 segments");
  launch(queue, {.threads = warp_size}, stage_unsynced<Op>,
         Tiles<Op>{x.values, x.owners, x.n, x.result, nullptr, nullptr}, x.m);
})

/// Caught by empty segments in the place of one that was not, 32 results before: results are taken out of the
/// stage, and no identity is left there.
template <class Op>
__global__ void stage_left(Tiles<Op> x, Index m) {
  __shared__ typename Op::Value stage[warp_size];
  const unsigned lane = threadIdx.x;
  stage[lane] = Op::identity();
  __syncwarp();
  Index at = 0;
  for (Index first = 0; first < m; first += warp_size) {
    while (lane == 0 && at < x.n && x.owners[at] < first + warp_size) {
      const Index slot = x.owners[at] - first;
      stage[slot] = reduce_part(x, at, x.n);
    }
    __syncwarp();
    if (first + lane < m) x.result[first + lane] = stage[lane];
    __syncwarp();
  }
}
WRONG_VARIANT(SegReduce, stage_left, FewPairs, "leaves results in the stage for the next segments", {
  x.needs_owners(queue);
  launch(queue, {.threads = warp_size}, stage_left<Op>,
         Tiles<Op>{x.values, x.owners, x.n, x.result, nullptr, nullptr}, x.m);
})

/// Caught by segments that end where a share of the merged list does: the end goes to the share before, whose
/// last value it then lacks.
template <class Op>
__global__ void split_early(const typename Op::Value* values, const Index* offsets, Index n,
                            Segments<typename Op::Value> segments, BlockRanges<typename Op::Value> ranges) {
  const Index* const ends = offsets + 1;
  const auto ends_before = [&](Index diagonal) {
    Index i = 0;
    while (i < segments.m && ends[i] + i <= diagonal) ++i;
    return i;
  };
  const Index all = n + segments.m, first = Index(blockIdx.x) * wrong_tile, behind = first + wrong_tile;
  Index end = ends_before(first), at = first - end;
  const Index limit = behind < all ? behind : all, last_end = ends_before(limit), last = limit - last_end;
  auto range = Range<Op>::empty();
  while (end < last_end || at < last) {
    if (end < last_end && (at >= last || ends[end] <= at)) {
      const Range<Op> ended{Op::identity(), Op::identity(), end++};
      range.append(ended, [&](Index i, auto value) { segments.result[i] = value; });
    } else {
      range.tail = Op()(range.tail, values[at++]);
    }
  }
  leave_range(ranges, range);
}
WRONG_VARIANT(SegReduce, split_early, FewPairs, "a share takes an end but not the value before it", {
  x.needs_offsets(queue);
  const Index count = ceil_div(x.n + x.m, wrong_tile);
  const auto ranges = block_ranges<typename Op::Value>(queue, count + 1);
  const Segments<typename Op::Value> segments{x.result, x.m, nullptr};
  queue.chain(wrong_tile + count);
  launch(queue, {.blocks = count, .threads = 1}, split_early<Op>, x.values, x.offsets, x.n, segments, ranges);
  launch(queue, {.threads = warp_size}, join_blocks<Op>, ranges, count, segments);
})

}  // namespace
}  // namespace redbench
