// Segmented reduction by owners: a warp takes rows of the input, a lane a few neighbouring values of a row
// with their owners, by loads of 16 bytes; a segmented scan joins the lanes.
#pragma once

#include "kernels/segreduce/rows.hpp"
#include "kernels/segreduce/stage.hpp"

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
  /// those of the row's last segment. emit_first(item, owner, value) and emit(item, owner, value) get the
  /// segments that end before an item of the lane: the first such, and those behind it.
  template <class EmitFirst, class Emit>
  __device__ __forceinline__ void reduce_row(int r, T& open, u32& before, EmitFirst emit_first,
                                             Emit emit) const {
    const u32* const own = owners.row[r].element;
    u32 ended = shuffle_up(full_mask, own[items - 1], 1);
    if (threadIdx.x % warp_size == 0) ended = before;
    u32 starts = own[0] != ended;
#pragma unroll
    for (int item = 1; item < items; ++item)
      if (own[item] != own[item - 1]) starts |= 1u << item;
    values.reduce_row(
        r, open, starts, [&](int item, T value) { emit_first(item, ended, value); },
        [&](int item, T value) { emit(item, own[item - 1], value); });
    before = shuffle(full_mask, own[items - 1], warp_size - 1);
  }
};

/// What a warp keeps from group to group: its range so far, and the owner of the value before. A group's
/// results begin with that owner's, as its segment was open before the group.
template <class Op>
struct WarpRange {
  using T = typename Op::Value;
  Range<Op> range;
  u32 before;
  T* result;
  Stage<Op> stage;

  /// A group in which no segment ends.
  __device__ void append(T value) { range.tail = Op()(range.tail, value); }

  /// Whether the stage has a slot for each of `span` segments.
  __device__ bool fits(u32 span) const { return results().shift + span <= Stage<Op>::slots; }

  /// A group in which `span` > 0 segments end, empty ones included, and fit.
  template <int items, int rows>
  __device__ void append(const Owned<Op, items, rows>& group, u32 span) {
    const StagedResults<Op> results = this->results();
    const u32 slot_0 = before - results.shift;
    const auto emit = [&](int, u32 owner, T value) { stage[owner - slot_0] = value; };
#pragma unroll
    for (int row = 0; row < rows; ++row) group.reduce_row(row, range.tail, before, emit, emit);
    __syncwarp();
    results.write(range, result, 0, results.shift + span);
    __syncwarp();
  }

  /// A row in which any number of segments end, most of them empty: what ended stays in registers while the
  /// stage goes over the results, so that each is written once.
  template <int items>
  __device__ void append_sparse(const Owned<Op, items, 1>& row) {
    const StagedResults<Op> results = this->results();
    const u32 first = before, slot_0 = first - results.shift;
    T ended[items];
    u32 slot[items];
#pragma unroll
    for (u32& none : slot) none = 0xffffffff;
    const auto emit = [&](int item, u32 owner, T value) {
      ended[item] = value;
      slot[item] = owner - slot_0;
    };
    const auto emit_first = [&](int first_item, u32 owner, T value) {
#pragma unroll
      for (int item = 0; item < items; ++item)
        if (item == first_item) emit(item, owner, value);
    };
    row.reduce_row(0, range.tail, before, emit_first, emit);
    if (before == first) return;
    const u32 end = before - slot_0;
#pragma unroll 1
    for (u32 begin = 0; begin < end; begin += Stage<Op>::whole) {
#pragma unroll
      for (int item = 0; item < items; ++item)
        if (slot[item] - begin < Stage<Op>::whole) stage[slot[item] - begin] = ended[item];
      __syncwarp();
      results.write(range, result, begin, min(end, begin + Stage<Op>::whole));
      __syncwarp();
    }
  }

 private:
  /// From the segment that is open: before all it is segment -1.
  __device__ StagedResults<Op> results() const { return {stage, Index(before + 1) - 1}; }
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

/// A group with more segments than fit, loaded again in rows of `few` neighbours a lane, whose ends fit in
/// registers.
template <class Op, int few, int size>
__device__ void append_rows(WarpRange<Op>& of_warp, const typename Op::Value* values, const u32* owners,
                            Index n) {
  using Row = Owned<Op, few, 1>;
#pragma unroll 1
  for (int at = 0; at < size; at += Row::size) {
    Row row;
    row.values.load(values, at, n);
    row.load_owners(owners, at, n);
    of_warp.append_sparse(row);
  }
}

/// A warp goes through its share of groups, at most 32. `skips`: owners are read only where the owner has changed by the end of
/// a group; as they never decrease, those between two equal ones are equal, too.
template <class Op, int items, int rows, bool skips>
__global__ void __launch_bounds__(512, 2)
    reduce_by_owners(const typename Op::Value* values, const u32* owners, Index n, WarpShares shares,
                     Segments<typename Op::Value> segments, BlockRanges<typename Op::Value> ranges) {
  using T = typename Op::Value;
  using Group = Owned<Op, items, rows>;
  const int warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;
  const Index number = Index(blockIdx.x) * warps + warp, steps = shares.count(number);
  const Index first = shares.first(number) * Group::size, behind = first + steps * Group::size;
  const Index end = behind < n ? behind : n;
  WarpRange<Op> of_warp{
      Range<Op>::empty(), u32(before_all), segments.result, {dynamic_shared<T>() + warp * Stage<Op>::slots}};
  of_warp.stage.clear();

  if (first < end) {
    if (first > 0) of_warp.before = owners[first - 1];
    unsigned with_ends = full_mask;
    if constexpr (skips)
      with_ends = groups_with_ends<Group::size>(owners, first, end, of_warp.before, int(steps));
    Index at = first;
    for (int left = int(end - first); left > 0; left -= Group::size, at += Group::size, with_ends >>= 1) {
      Group group;
      group.values.load(values + at, 0, left);
      u32 span = 0;
      if (!skips || with_ends % 2 > 0) {
        group.load_owners(owners + at, 0, left);
        span = group.last_owner() - of_warp.before;
      }
      if (span == 0) of_warp.append(group.values.reduce());
      else if (of_warp.fits(span)) of_warp.append(group, span);
      else
        append_rows<Op, std::min(items, skips ? 4 : 8), Group::size>(of_warp, values + at, owners + at, left);
    }
  }
  hand_on<Op>(of_warp.range, segments, ranges);
}

/// Both launches, of kernels for `items` and `rows`. The segments that no value touches are written, too.
template <class Op, int items, int rows, bool skips>
void launch_by_owners(Queue& queue, const SegReduce<Op>& x, int threads, int steps) {
  using T = typename Op::Value;
  constexpr int own = items_of<T>(items);
  const auto kernel = reduce_by_owners<Op, own, rows, skips>;
  const Index warps = threads / warp_size, groups = ceil_div(x.n, Owned<Op, own, rows>::size);
  const Index resident = persistent_blocks(queue, kernel, threads, warps * Stage<Op>::bytes);
  const Split split = split_evenly(queue, resident, groups, warps, steps);
  const Segments<T> segments{x.result, x.m, x.owners + x.n - 1};
  const auto ranges = block_ranges<T>(queue, split.blocks);
  launch(queue,
         {.blocks = split.blocks,
          .threads = int(split.warps) * warp_size,
          .shared_bytes = split.warps * Stage<Op>::bytes,
          .bytes_read = double(x.n) * (sizeof(T) + sizeof(u32)),
          .bytes_written = double(x.m) * sizeof(T) + double(split.blocks) * range_bytes<T>},
         kernel, x.values, x.owners, x.n, split.shares, segments, ranges);
  queue.chain(rows_chain(own, rows, split.steps) +
              launch_join_blocks<Op>(queue, ranges, split.blocks, segments));
}

/// Slots count in 32 bits, from up to 7 before a segment to a stage behind the last.
inline constexpr Index most_owners = 0xfffff000;

inline constexpr std::array<Parameter, 4> warp_scan_parameters{
    {{"items", 8, 4, 16, Step::power_of_two,
      "half the scans of 4; more lie apart in a load; tuned on an H200"},
     {"loaded", 16, 8, 16, Step::power_of_two, "128 bytes a lane under way; tuned on an H200"},
     {"steps", 8, 1, 32, Step::power_of_two,
      "most groups of a warp: 4096 values; tuned on an H200 where all warps had as many"},
     {"block", 256, 32, 512, Step::power_of_two, "most threads of a block; tuned on an H200"}}};

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
