// Segmented reduction by an even split: what neighbouring ranges of the input hand on to each other, whatever
// the lengths of the segments, and how lanes, warps and blocks put it together in input order.
//
// A range, be it a lane's values, a warp's or a block's, knows nothing of the values before and behind it. It
// writes the segments that start and end in it, and hands on two reductions: `head`, of its values before the
// first end of a segment, and `tail`, of those behind the last end. The segment that ends first is the tails
// of the ranges before, back to the last in which a segment ends, then this head. A range in which no segment
// ends has a tail only. This is the carry-out of Merrill and Garland's CsrMV (2016), with a head in
// place of a carry-in, so that no range waits for the one before it: a second, small launch joins the blocks.
#pragma once

#include "kernels/parts/fill.hpp"
#include "kernels/segreduce/problem.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Range::ended where no segment ends in the range; and the segment that by owners ends before the first
/// value: it has no result, as m is less.
inline constexpr Index no_segment = -1, before_all = 0xffffffff;

template <class Op>
struct Range {
  using T = typename Op::Value;
  T head, tail;
  Index ended;  // the segment of which `head` is the last part

  static __device__ Range empty() { return {Op::identity(), Op::identity(), no_segment}; }
  __device__ bool ends() const { return ended != no_segment; }

  /// Takes in the range that follows. emit(segment, value) gets what is whole by that.
  template <class Emit>
  __device__ void append(const Range& next, Emit emit) {
    const T joined = Op()(tail, next.ends() ? next.head : next.tail);
    tail = next.ends() ? next.tail : joined;
    if (!next.ends()) return;
    if (ends()) {
      emit(next.ended, joined);
    } else {
      head = joined;
      ended = next.ended;
    }
  }
};

/// For 32 neighbouring ranges, one a lane: the reduction of the segment that is open where each begins. `open`
/// is that of the first, afterwards that behind the last; it is the same in all lanes. A segmented scan, in
/// which a lane knows by the ballot how far back its segment reaches (Sengupta, Harris and Garland 2008).
template <class Op>
__device__ __forceinline__ typename Op::Value open_before(typename Op::Value tail, bool ends,
                                                          typename Op::Value& open) {
  const Op op;
  const int lane = threadIdx.x % warp_size;
  const unsigned up_to_here = full_mask >> (warp_size - 1 - lane);
  const unsigned starts = (__ballot_sync(full_mask, ends) & up_to_here) | 1;
  const int reach = lane - (warp_size - 1) + __clz(int(starts));
  if (lane == 0 && !ends) tail = op(open, tail);
#pragma unroll
  for (int offset = 1; offset < warp_size; offset *= 2) {
    const auto joined = op(shuffle_up(full_mask, tail, offset), tail);
    tail = offset <= reach ? joined : tail;
  }
  const auto before = shuffle_up(full_mask, tail, 1);
  const auto first = open;
  open = shuffle(full_mask, tail, warp_size - 1);
  return lane == 0 ? first : before;
}

/// The range that 32 neighbouring ranges make, one a lane; all lanes return it. emit(segment, value) gets the
/// segments that are whole by that.
template <class Op, class Emit>
__device__ Range<Op> join_lanes(const Range<Op>& range, Emit emit) {
  const int lane = threadIdx.x % warp_size;
  auto open = Op::identity();
  const auto whole = Op()(open_before<Op>(range.tail, range.ends(), open), range.head);
  const unsigned ended = __ballot_sync(full_mask, range.ends());
  const int first = ended ? __ffs(int(ended)) - 1 : 0;
  if (range.ends() && lane != first) emit(range.ended, whole);
  return {shuffle(full_mask, whole, first), open, shuffle(full_mask, range.ended, first)};
}

/// The range that a block's warps make; `range` is the same in all lanes of a warp. The first warp returns it.
/// All threads of the block call, whole warps, once.
template <class Op, class Emit>
__device__ Range<Op> join_warps(const Range<Op>& range, Emit emit) {
  __shared__ Range<Op> of_warp[warp_size];
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size;
  if (lane == 0) of_warp[warp] = range;
  __syncthreads();
  if (warp > 0) return range;
  return join_lanes<Op>(lane < int(blockDim.x / warp_size) ? of_warp[lane] : Range<Op>::empty(), emit);
}

/// Where results go: `last_owner` points at the last value's owner; null where offsets end every segment.
template <class T>
struct Segments {
  T* result;
  Index m;
  const u32* last_owner;
};

/// The ranges of blocks, an array for each member.
template <class T>
struct BlockRanges {
  T *heads, *tails;
  Index* ended;
};

/// Writes what is left when all of the input is one range, which the first warp holds: the segment that ended
/// first, by owners also the last one, and the empty ones behind it. All threads of the block call.
template <class Op>
__device__ void finish(const Range<Op>& all, const Segments<typename Op::Value>& segments) {
  if (threadIdx.x == 0 && all.ends() && all.ended < segments.m) segments.result[all.ended] = all.head;
  if (!segments.last_owner) return;
  const Index last = *segments.last_owner;
  if (threadIdx.x == 0) segments.result[last] = all.tail;
  for (Index i = last + 1 + threadIdx.x; i < segments.m; i += blockDim.x) segments.result[i] = Op::identity();
}

/// The end of a block of the first launch, whose warps' ranges follow each other: the only block finishes,
/// others leave their range to the second launch. All threads call.
template <class Op>
__device__ void hand_on(const Range<Op>& of_warp, const Segments<typename Op::Value>& segments,
                        const BlockRanges<typename Op::Value>& ranges) {
  const auto write = [&](Index segment, auto value) { segments.result[segment] = value; };
  const Range<Op> range = join_warps<Op>(of_warp, write);
  if (gridDim.x == 1) {
    finish<Op>(range, segments);
  } else if (threadIdx.x == 0) {
    ranges.heads[blockIdx.x] = range.head;
    ranges.tails[blockIdx.x] = range.tail;
    ranges.ended[blockIdx.x] = range.ended;
  }
}

/// The second launch, of one block: a thread joins `each` neighbouring ranges, four loads of each member
/// under way at a time.
template <class Op>
__global__ void __launch_bounds__(1024)
    join_blocks(BlockRanges<typename Op::Value> ranges, Index count, Segments<typename Op::Value> segments) {
  constexpr int loads = 4;
  const auto write = [&](Index segment, auto value) { segments.result[segment] = value; };
  const Index each = ceil_div(count, Index(blockDim.x)), first = threadIdx.x * each;
  const Index end = first + each < count ? first + each : count;
  Range<Op> joined = Range<Op>::empty();
  for (Index at = first; at < end; at += loads) {
    Range<Op> range[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k)
      range[k] = at + k < end ? Range<Op>{ranges.heads[at + k], ranges.tails[at + k], ranges.ended[at + k]}
                              : Range<Op>::empty();
#pragma unroll
    for (int k = 0; k < loads; ++k) joined.append(range[k], write);
  }
  finish<Op>(join_warps<Op>(join_lanes<Op>(joined, write), write), segments);
}

template <class T>
BlockRanges<T> block_ranges(Queue& queue, Index blocks) {
  const Index count = blocks > 1 ? blocks : 0;
  return {queue.scratch<T>(count), queue.scratch<T>(count), queue.scratch<Index>(count)};
}

template <class T>
constexpr double range_bytes = 2 * sizeof(T) + sizeof(Index);

/// Launches join_blocks where there was more than one block; returns the longest chain of its operations.
template <class Op>
Index launch_join_blocks(Queue& queue, const BlockRanges<typename Op::Value>& ranges, Index blocks,
                         const Segments<typename Op::Value>& segments) {
  constexpr Index joins = 2 * 6;  // of lanes and of warps: a scan and a head
  if (blocks <= 1) return joins;
  const int threads = int(std::min<Index>(1024, warp_size * ceil_div(blocks, warp_size)));
  launch(queue, {.threads = threads, .bytes_read = double(blocks) * range_bytes<typename Op::Value>},
         join_blocks<Op>, ranges, blocks, segments);
  return joins + ceil_div(blocks, threads);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
