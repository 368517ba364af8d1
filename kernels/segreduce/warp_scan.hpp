// Segmented reduction by owners: a warp takes rows of the input, a lane a few neighbouring values of a row
// with their owners, by loads of 16 bytes; a segmented scan joins the lanes.
#pragma once

#include "kernels/segreduce/rows.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Values and their owners.
template <class Op, int items, int rows>
struct Owned {
  using T = typename Op::Value;
  static constexpr int size = Values<Op, items, rows>::size;
  Values<Op, items, rows> values;
  Rows<u32, items, rows> owners;

  /// Past the end the last owner, whose segment so does not end there.
  __device__ void load_owners(const u32* in, Index first, Index n) {
    owners.load(in, first, n, [&](Index i) { return in[i < n ? i : n - 1]; });
  }

  /// The owner of the last value.
  __device__ u32 last_owner() const {
    return shuffle(full_mask, owners.row[rows - 1].element[items - 1], warp_size - 1);
  }

  /// Reduces row r. `open` and `before`: the reduction of the segment before it, and its owner, afterwards
  /// those of the row's last segment. emit(owner, value) gets the segments that end before a value of the row.
  template <class Emit>
  __device__ __forceinline__ void reduce_row(int r, T& open, u32& before, Emit emit) const {
    const u32* const own = owners.row[r].element;
    u32 ended = shuffle_up(full_mask, own[items - 1], 1);
    if (threadIdx.x % warp_size == 0) ended = before;
    u32 starts = own[0] != ended;
#pragma unroll
    for (int item = 1; item < items; ++item)
      if (own[item] != own[item - 1]) starts |= 1u << item;
    values.reduce_row(
        r, open, starts, [&](int, T value) { emit(ended, value); },
        [&](int item, T value) { emit(own[item - 1], value); });
    before = shuffle(full_mask, own[items - 1], warp_size - 1);
  }
};

/// A warp's place for the results of a group: those of `stage_slots` segments in a row.
inline constexpr int stage_bytes = 2048;
template <class T>
constexpr int stage_slots = stage_bytes / int(sizeof(T));

/// What a warp keeps from group to group: its range so far, and the owner of the value before. Slot k of a
/// group is the segment `before` + k, so slot 0 is the one that was open before the group.
template <class Op>
struct WarpRange {
  using T = typename Op::Value;
  Range<Op> range;
  u32 before;
  T* result;
  T* stage;

  /// A group in which no segment ends.
  __device__ void append(T value) { range.tail = Op()(range.tail, value); }

  /// A group in which `span` > 0 segments end, empty ones included.
  template <int items, int rows>
  __device__ void append(const Owned<Op, items, rows>& group, u32 span) {
    const u32 first = before;
    if (span <= stage_slots<T>) append_staged(group, span, first);
    else append_sparse(group, span, first);

    // The warp's first segment may have begun before the warp: it is the head.
    const T opened = stage[0];
    if (!range.ends()) {
      range.head = opened;
      range.ended = first;
    } else if (threadIdx.x % warp_size == 0) {
      result[first] = opened;
    }
    __syncwarp();
  }

 private:
  /// Results pass through shared memory, where the empty segments have the identity, to be written side by
  /// side.
  template <int items, int rows>
  __device__ void append_staged(const Owned<Op, items, rows>& group, u32 span, u32 first) {
    const u32 lane = threadIdx.x % warp_size;
#pragma unroll 1
    for (u32 slot = lane; slot < span; slot += warp_size) stage[slot] = Op::identity();
    __syncwarp();
#pragma unroll
    for (int row = 0; row < rows; ++row)
      group.reduce_row(row, range.tail, before, [&](u32 owner, T value) { stage[owner - first] = value; });
    __syncwarp();
#pragma unroll 1
    for (u32 slot = lane; slot < span; slot += warp_size)
      if (slot > 0) result[first + slot] = stage[slot];
  }

  /// Most of so many segments are empty: all get the identity first.
  template <int items, int rows>
  __device__ void append_sparse(const Owned<Op, items, rows>& group, u32 span, u32 first) {
#pragma unroll 1
    for (u32 slot = 1 + threadIdx.x % warp_size; slot < span; slot += warp_size)
      result[first + slot] = Op::identity();
    __syncwarp();
#pragma unroll
    for (int row = 0; row < rows; ++row)
      group.reduce_row(row, range.tail, before, [&](u32 owner, T value) {
        if (owner == first) stage[0] = value;
        else result[owner] = value;
      });
    __syncwarp();
  }
};

/// The groups of a warp in whose owners a change lies, a bit each: lane g looks at the last owners of groups
/// g - 1 and g. `steps` is at most 32.
template <int size>
__device__ unsigned groups_with_ends(const u32* owners, Index first, Index end, u32 before, int steps) {
  const int lane = threadIdx.x % warp_size;
  const Index behind = first + Index(lane + 1) * size, last = (behind < end ? behind : end) - 1;
  const u32 own = owners[last];
  u32 previous = shuffle_up(full_mask, own, 1);
  if (lane == 0) previous = before;
  return __ballot_sync(full_mask, lane < steps && own != previous);
}

/// A warp goes through `steps` groups. `skips`: owners are read only where the owner has changed by the end of
/// a group; as they never decrease, those between two equal ones are equal, too.
template <class Op, int items, int rows, bool skips>
__global__ void __launch_bounds__(512, sizeof(typename Op::Value) <= 4 && items * rows <= 8 ? 3 : 2)
    reduce_by_owners(const typename Op::Value* values, const u32* owners, Index n, int steps,
                     Segments<typename Op::Value> segments, BlockRanges<typename Op::Value> ranges) {
  using T = typename Op::Value;
  using Group = Owned<Op, items, rows>;
  const int warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;
  const Index share = Index(steps) * Group::size;
  const Index first = (Index(blockIdx.x) * warps + warp) * share;
  const Index end = first + share < n ? first + share : n;
  WarpRange<Op> of_warp{Range<Op>::empty(), u32(before_all), segments.result,
                        dynamic_shared<T>() + warp * stage_slots<T>};

  if (first < end) {
    if (first > 0) of_warp.before = owners[first - 1];
    unsigned with_ends = full_mask;
    if constexpr (skips) with_ends = groups_with_ends<Group::size>(owners, first, end, of_warp.before, steps);
    for (Index at = first; at < end; at += Group::size, with_ends >>= 1) {
      Group group;
      group.values.load(values, at, n);
      u32 span = 0;
      if (!skips || with_ends % 2 > 0) {
        group.load_owners(owners, at, n);
        span = group.last_owner() - of_warp.before;
      }
      if (span == 0) of_warp.append(group.values.reduce());
      else of_warp.append(group, span);
    }
  }
  hand_on<Op>(of_warp.range, segments, ranges);
}

/// Both launches, of kernels for `items` and `rows`. The segments that no value touches are written, too.
template <class Op, int items, int rows, bool skips>
void launch_by_owners(Queue& queue, const SegReduce<Op>& x, int threads, int steps) {
  using T = typename Op::Value;
  constexpr int own = items_of<T>(items);
  const Index warps = threads / warp_size, blocks = ceil_div(x.n, warps * steps * Owned<Op, own, rows>::size);
  const Segments<T> segments{x.result, x.m, x.owners + x.n - 1};
  const auto ranges = block_ranges<T>(queue, blocks);
  launch(queue,
         {.blocks = blocks,
          .threads = threads,
          .shared_bytes = std::size_t(warps) * stage_bytes,
          .bytes_read = double(x.n) * (sizeof(T) + sizeof(u32)),
          .bytes_written = double(x.m) * sizeof(T) + double(blocks) * range_bytes<T>},
         reduce_by_owners<Op, own, rows, skips>, x.values, x.owners, x.n, steps, segments, ranges);
  queue.chain(rows_chain(own, rows, steps) + launch_join_blocks<Op>(queue, ranges, blocks, segments));
}

inline constexpr std::array<Parameter, 4> warp_scan_parameters{
    {{"items", 8, 4, 16, Step::power_of_two,
      "half the scans of 4; more lie apart in a load; tuned on an H200"},
     {"loaded", 16, 8, 16, Step::power_of_two, "128 bytes a lane under way; tuned on an H200"},
     {"steps", 8, 1, 32, Step::power_of_two, "4096 values a warp: 1000 blocks of 30 Mi; tuned on an H200"},
     {"block", 256, 32, 512, Step::power_of_two, "tuned on an H200"}}};

template <class Op, bool skips>
void run_warp_scan(Queue& queue, const SegReduce<Op>& x) {
  x.needs_owners(queue);
  if (x.n == 0) return fill(queue, x.result, x.m, Op::identity());
  with_rows(queue, [&](auto items, auto rows) {
    launch_by_owners<Op, items, rows, skips>(queue, x, int(queue.parameter("block")),
                                             int(queue.parameter("steps")));
  });
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
