// Segmented reduction by owners: a warp takes rows of the input, a lane a few neighbouring values of a row
// with their owners, by loads of 16 bytes; a segmented scan joins the lanes.
#pragma once

#include "kernels/parts/chains.hpp"
#include "kernels/parts/load_vector.hpp"
#include "kernels/parts/power_of_two.hpp"
#include "kernels/segreduce/ranges.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// `rows` rows of 32 x `items` values and their owners, loaded at once: a lane has `items` neighbours of each
/// row.
template <class Op, int items, int rows>
struct Group {
  using T = typename Op::Value;
  static constexpr int size = rows * warp_size * items;
  Vector<T, items> value[rows];
  Vector<u32, items> owner[rows];

  __device__ static Index place(Index first, int row, int item) {
    return first + (row * warp_size + threadIdx.x % warp_size) * items + item;
  }

  /// Past the end the identity.
  __device__ void load_values(const T* in, Index first, Index n) {
    if (first + size <= n) {
#pragma unroll
      for (int row = 0; row < rows; ++row)
        value[row] = load_vector<items>(in + place(first, 0, 0), row * warp_size);
    } else {
#pragma unroll
      for (int row = 0; row < rows; ++row)
#pragma unroll
        for (int item = 0; item < items; ++item) {
          const Index i = place(first, row, item);
          value[row].element[item] = i < n ? in[i] : Op::identity();
        }
    }
  }

  /// Past the end the last owner, which so never ends there.
  __device__ void load_owners(const u32* in, Index first, Index n) {
    if (first + size <= n) {
#pragma unroll
      for (int row = 0; row < rows; ++row)
        owner[row] = load_vector<items>(in + place(first, 0, 0), row * warp_size);
    } else {
#pragma unroll
      for (int row = 0; row < rows; ++row)
#pragma unroll
        for (int item = 0; item < items; ++item) {
          const Index i = place(first, row, item);
          owner[row].element[item] = in[i < n ? i : n - 1];
        }
    }
  }

  /// The owner of the last value.
  __device__ u32 last_owner() const {
    return shuffle(full_mask, owner[rows - 1].element[items - 1], warp_size - 1);
  }

  /// The reduction of all values; in input order where the operator needs that.
  __device__ T reduce() const {
    const Op op;
    T of_row[rows];
#pragma unroll
    for (int row = 0; row < rows; ++row) {
      of_row[row] = value[row].element[0];
#pragma unroll
      for (int item = 1; item < items; ++item) of_row[row] = op(of_row[row], value[row].element[item]);
    }
    if constexpr (Op::commutative) {
#pragma unroll
      for (int row = 1; row < rows; ++row) of_row[0] = op(of_row[0], of_row[row]);
      return of_lanes(of_row[0]);
    } else {
      T all = of_lanes(of_row[0]);
#pragma unroll
      for (int row = 1; row < rows; ++row) all = op(all, of_lanes(of_row[row]));
      return all;
    }
  }

  /// Reduces row number `row`. `open` and `before`: the reduction of the segment before it, and its owner,
  /// afterwards those of the row's last segment. emit(owner, value) gets the segments that end before a value
  /// of the row.
  template <class Emit>
  __device__ __forceinline__ void reduce_row(int row, T& open, u32& before, Emit emit) const {
    const Op op;
    const u32* const own = owner[row].element;
    u32 ended = shuffle_up(full_mask, own[items - 1], 1);
    if (threadIdx.x % warp_size == 0) ended = before;
    bool ends = own[0] != ended;
    T head = Op::identity(), tail = value[row].element[0];
#pragma unroll
    for (int item = 1; item < items; ++item) {
      const T next = value[row].element[item];
      const bool starts = own[item] != own[item - 1];
      if (starts && ends) emit(own[item - 1], tail);
      if (starts && !ends) head = tail;
      tail = starts ? next : op(tail, next);
      ends |= starts;
    }
    const T whole = op(open_before<Op>(tail, ends, open), head);
    if (ends) emit(ended, whole);
    before = shuffle(full_mask, own[items - 1], warp_size - 1);
  }

 private:
  /// All lanes return the reduction of the lanes' values, in order.
  __device__ static T of_lanes(T lane_value) {
#pragma unroll
    for (int offset = 1; offset < warp_size; offset *= 2)
      lane_value = Op()(lane_value, shuffle_down(full_mask, lane_value, offset));
    return shuffle(full_mask, lane_value, 0);
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
  __device__ void append(const Group<Op, items, rows>& group, u32 span) {
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
  __device__ void append_staged(const Group<Op, items, rows>& group, u32 span, u32 first) {
    const u32 lane = threadIdx.x % warp_size;
    for (u32 slot = lane; slot < span; slot += warp_size) stage[slot] = Op::identity();
    __syncwarp();
#pragma unroll
    for (int row = 0; row < rows; ++row)
      group.reduce_row(row, range.tail, before, [&](u32 owner, T value) { stage[owner - first] = value; });
    __syncwarp();
    for (u32 slot = lane; slot < span; slot += warp_size)
      if (slot > 0) result[first + slot] = stage[slot];
  }

  /// Most of so many segments are empty: all get the identity first.
  template <int items, int rows>
  __device__ void append_sparse(const Group<Op, items, rows>& group, u32 span, u32 first) {
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
__global__ void reduce_by_owners(const typename Op::Value* values, const u32* owners, Index n, int steps,
                                 Segments<typename Op::Value> segments,
                                 BlockRanges<typename Op::Value> ranges) {
  using T = typename Op::Value;
  using Rows = Group<Op, items, rows>;
  const int warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;
  const Index share = Index(steps) * Rows::size;
  const Index first = (Index(blockIdx.x) * warps + warp) * share;
  const Index end = first + share < n ? first + share : n;
  WarpRange<Op> of_warp{Range<Op>::empty(), u32(before_all), segments.result,
                        dynamic_shared<T>() + warp * stage_slots<T>};

  if (first < end) {
    if (first > 0) of_warp.before = owners[first - 1];
    unsigned with_ends = full_mask;
    if constexpr (skips) with_ends = groups_with_ends<Rows::size>(owners, first, end, of_warp.before, steps);
    for (Index at = first; at < end; at += Rows::size, with_ends >>= 1) {
      Rows group;
      group.load_values(values, at, n);
      u32 span = 0;
      if (!skips || with_ends % 2 > 0) {
        group.load_owners(owners, at, n);
        span = group.last_owner() - of_warp.before;
      }
      if (span == 0) of_warp.append(group.reduce());
      else of_warp.append(group, span);
    }
  }
  hand_on<Op>(of_warp.range, segments, ranges);
}

/// Values of a lane in a row: larger types have fewer, so that a row has as many bytes.
template <class T>
constexpr int items_of(int items) {
  return std::max(1, items * 4 / std::max(4, int(sizeof(T))));
}

/// Both launches, of kernels for `items` and `rows`. The segments that no value touches are written, too.
template <class Op, int items, int rows, bool skips>
void launch_by_owners(Queue& queue, const SegReduce<Op>& x, int threads, int steps) {
  using T = typename Op::Value;
  constexpr int own = items_of<T>(items);
  const Index warps = threads / warp_size, blocks = ceil_div(x.n, warps * steps * Group<Op, own, rows>::size);
  const Segments<T> segments{x.result, x.m, x.owners + x.n - 1};
  const auto ranges = block_ranges<T>(queue, blocks);
  launch(queue,
         {.blocks = blocks,
          .threads = threads,
          .shared_bytes = std::size_t(warps) * stage_bytes,
          .bytes_read = double(x.n) * (sizeof(T) + sizeof(u32)),
          .bytes_written = double(x.m) * sizeof(T) + double(blocks) * range_bytes<T>},
         reduce_by_owners<Op, own, rows, skips>, x.values, x.owners, x.n, steps, segments, ranges);
  // A lane's values, the lanes, the groups or their rows one after the other, the warps of a block.
  queue.chain(own * rows + warp_scan_chain + 1 + Index(rows) * steps +
              launch_join_blocks<Op>(queue, ranges, blocks, segments));
}

inline constexpr std::array<Parameter, 4> warp_scan_parameters{
    {{"items", 8, 4, 16, Step::power_of_two, "half the scans of 4; more lie apart in a load"},
     {"rows", 1, 1, 2, Step::power_of_two, "64 bytes a lane under way: 96 KB on a multiprocessor"},
     {"steps", 8, 1, 32, Step::power_of_two, "2048 values a warp: 2000 blocks of 30 Mi"},
     {"block", 256, 32, 512, Step::power_of_two, "six blocks of 40 registers a thread"}}};

template <class Op, bool skips>
void run_warp_scan(Queue& queue, const SegReduce<Op>& x) {
  x.needs_owners(queue);
  const Index items = queue.parameter("items"), rows = queue.parameter("rows");
  if (items * rows != 8 && items * rows != 16) queue.refuse("items x rows, the values of a lane, is 8 or 16");
  if (x.n == 0) return fill(queue, x.result, x.m, Op::identity());
  with_power_of_two<4, 16>(items, [&](auto of_lane) {
    with_power_of_two<std::max(1, 8 / of_lane), std::min(2, 16 / of_lane)>(rows, [&](auto of_group) {
      launch_by_owners<Op, of_lane, of_group, skips>(queue, x, int(queue.parameter("block")),
                                                     int(queue.parameter("steps")));
    });
  });
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
