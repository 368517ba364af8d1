#include "kernels/segreduce/rows.hpp"
#include "kernels/segreduce/stage.hpp"

namespace redbench {
namespace {

using u16 = std::uint16_t;

/// The list that is split evenly: values 0 to n and the ends of segments 0 to m, merged, an end before the
/// values at and behind it. Its first `diagonal` elements hold the ends i with end(i) + i < diagonal: so many
/// values and i ends come before end i. All lanes call and return how many; they ask 32 places at a time, so
/// that 2^25 ends take five loads, one after the other.
__device__ Index ends_before(const Index* ends, Index m, Index n, Index diagonal) {
  const int lane = threadIdx.x % warp_size;
  Index low = diagonal > n ? diagonal - n : 0, high = diagonal < m ? diagonal : m;
  while (low < high) {
    const Index step = ceil_div(high - low, Index(warp_size)), at = low + (lane + 1) * step - 1;
    const int before = __popc(__ballot_sync(full_mask, at < high && ends[at] + at < diagonal));
    low += before * step;
    high = low + step - 1 < high ? low + step - 1 : high;
  }
  return low;
}

/// Takes the ranks of the ends before a lane's items, 0 where there is none, from shared memory and leaves zeros.
template <int items>
struct EndsBefore {
  static constexpr int width = std::min(items, 8);  // of a load
  Vector<u16, width> ranks[items / width];
  u32 starts = 0, first = 0;  // a bit for each item with an end before it, and the rank of the first

  __device__ explicit EndsBefore(u16* place) {
    auto* const from = reinterpret_cast<Vector<u16, width>*>(place);
#pragma unroll
    for (int k = 0; k < items / width; ++k) ranks[k] = from[k];
    if constexpr (items % 2 == 0) {
      // Of two ranks in a word, below 2^15, the sum has bits 15 and 31 where they are not 0.
#pragma unroll
      for (int item = 0; item < items; item += 2)
        starts |= (((rank(item) | rank(item + 1) << 16) + 0x7fff7fffu) & 0x80008000u) >> (15 - item);
      starts = (starts | starts >> 15) & ((1u << items) - 1);
    } else {
      starts = rank(0) > 0;
    }
    if (starts) first = place[__ffs(int(starts)) - 1];
#pragma unroll
    for (int k = 0; k < items / width; ++k) from[k] = {};
  }
  __device__ u32 rank(int item) const { return ranks[item / width].element[item % width]; }
};

/// What a warp walks through, in steps: up to a window of values, with up to a stage of segments that end there.
template <class Op, int items, int rows>
struct Walk {
  using T = typename Op::Value;
  using Window = Values<Op, items, rows>;
  static constexpr int size = Window::size, most_ends = Stage<Op>::whole;
  static constexpr int far = 1 << 30;  // in a window's places, beyond all of a share
  static constexpr std::size_t bytes = Stage<Op>::bytes + size * sizeof(u16);  // of shared memory

  const T* values;
  const Index* ends;  // where segments end
  Index n, m, limit;  // `limit`: the diagonal at which the next warp begins
  T* result;
  Stage<Op> stage;
  u16* ranks;         // at a place of the window: the number of the first end there in this step, from 1 on
  Index at, end;      // values and ends so far
  int ahead = 0;      // values from `at` on that have no end before them, if known
  bool many = false;  // whether the last step had more ends than are loaded at first
  Range<Op> range = Range<Op>::empty();

  __device__ void run() {
    stage.clear();
    for (int i = threadIdx.x % warp_size; i < size; i += warp_size) ranks[i] = 0;
    __syncwarp();
    while (at + end < limit) {
      skip_ahead();
      if (at + end < limit) step();
    }
  }

 private:
  /// Two windows at a time while no segment ends in them.
  __device__ void skip_ahead() {
    using Windows = Values<Op, items, 2 * rows>;
    const Index left = min(limit - end - at, Index(ahead));
    if (at % items > 0 || left < Windows::size) return;
    const Index behind = at + left / Windows::size * Windows::size;
    T all = Op::identity();
#pragma unroll 1
    for (; at < behind; at += Windows::size) {
      Windows group;
      group.load(values + at, 0, Windows::size);
      if constexpr (Op::commutative) all = Op()(all, group.of_lane());
      else all = Op()(all, group.reduce());
    }
    if constexpr (Op::commutative) all = Windows::of_lanes(all);
    range.tail = Op()(range.tail, all);
    ahead = 0;
  }

  /// Takes the next ends that are this warp's and lie in the window, `loads` x 32 at most, and writes the rank
  /// of each but of those that end where another of the step does, whose segments are empty. `taken` ends of the
  /// step and the place `before` of the last are counted on. Returns whether there may be more.
  template <int loads>
  __device__ bool mark(Index window, int room, int& taken, int& before) {
    const int lane = threadIdx.x % warp_size, first = taken;
    const Index* const from = ends + end + first + lane;
    const int left = int(min(m - end - first, Index(loads * warp_size)));
    Index place[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k)
      place[k] = lane + k * warp_size < left ? from[k * warp_size] - window : far;
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const int own = int(min(place[k], Index(far))), number = first + k * warp_size + lane;
      const bool takes = own < min(room - number, size) && number < most_ends;
      int previous = shuffle_up(full_mask, own, 1);
      if (lane == 0) previous = before;
      if (takes && own != previous) ranks[own] = u16(number + 1);
      const unsigned all = __ballot_sync(full_mask, takes);
      if (all != full_mask) {
        const int count = __popc(all);
        ahead = shuffle(full_mask, own, count);
        if (count > 0) before = shuffle(full_mask, own, count - 1);
        taken = first + k * warp_size + count;
        return false;
      }
      before = shuffle(full_mask, own, warp_size - 1);
    }
    taken = first + loads * warp_size;
    return taken < most_ends;
  }

  __device__ void step() {
    const Index window = at / items * items;
    Window group;
    group.load(values, window, n);
    const int room = int(limit - window - end), from = int(at - window);
    int taken = 0, before = -1;
    ahead = 0;
    if (many || mark<1>(window, room, taken, before))
      while (mark<4>(window, room, taken, before)) {
      }
    many = taken > warp_size;
    const int to = taken == most_ends ? before : min(size, room - taken);
    if (from > 0 || to < size) group.cut(from, to);

    if (taken == 0) {
      range.tail = Op()(range.tail, group.reduce());
    } else {
      __syncwarp();
      reduce(group, taken);
      end += taken;
    }
    at = window + to;
    ahead = max(ahead - to, 0);
  }

  __device__ void reduce(const Window& group, int taken) {
    const StagedResults<Op> results(stage, end);
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      u16* const own = ranks + Window::place(r, 0);
      const EndsBefore<items> ended(own);
      group.reduce_row(
          r, range.tail, ended.starts, [&](int, T value) { stage[results.shift + ended.first - 1] = value; },
          [&](int item, T value) { stage[results.shift + ended.rank(item) - 1] = value; });
    }
    __syncwarp();
    results.write(range, result, 0, results.shift + taken);
    __syncwarp();
  }
};

/// A warp takes `share` elements of the merged list.
template <class Op, int items, int rows>
__global__ void __launch_bounds__(512, 2)
    reduce_by_offsets(const typename Op::Value* values, const Index* offsets, Index n, Index share,
                      Segments<typename Op::Value> segments, BlockRanges<typename Op::Value> ranges) {
  using T = typename Op::Value;
  using WarpWalk = Walk<Op, items, rows>;
  const int warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;
  const Index diagonal = (Index(blockIdx.x) * warps + warp) * share, all = n + segments.m;
  Range<Op> range = Range<Op>::empty();
  if (diagonal < all) {
    u16* const ranks = dynamic_shared<u16>();
    T* const stages = reinterpret_cast<T*>(ranks + warps * WarpWalk::size);
    const Index opening = ends_before(offsets + 1, segments.m, n, diagonal);
    WarpWalk walk{.values = values,
                  .ends = offsets + 1,
                  .n = n,
                  .m = segments.m,
                  .limit = diagonal + share < all ? diagonal + share : all,
                  .result = segments.result,
                  .stage = {stages + warp * Stage<Op>::slots},
                  .ranks = ranks + warp * WarpWalk::size,
                  .at = diagonal - opening,
                  .end = opening};
    walk.run();
    range = walk.range;
  }
  hand_on<Op>(range, segments, ranges);
}

template <class Op, int items, int rows>
void launch_by_offsets(Queue& queue, const SegReduce<Op>& x, int threads, int steps) {
  using T = typename Op::Value;
  constexpr int own = items_of<T>(items);
  using WarpWalk = Walk<Op, own, rows>;
  const auto kernel = reduce_by_offsets<Op, own, rows>;
  const Index warps = threads / warp_size, all = x.n + x.m;
  const Index resident = persistent_blocks(queue, kernel, threads, warps * WarpWalk::bytes);
  const Split split = split_evenly(queue, resident, ceil_div(all, WarpWalk::size), warps, steps);
  // Whole vectors, so that shares without ends begin with one.
  const Index share = own * ceil_div(all, own * split.blocks * split.warps);
  const Index blocks = ceil_div(all, share * split.warps);
  const Segments<T> segments{x.result, x.m, nullptr};
  const auto ranges = block_ranges<T>(queue, blocks);
  launch(queue,
         {.blocks = blocks,
          .threads = int(split.warps) * warp_size,
          .shared_bytes = split.warps * WarpWalk::bytes,
          .bytes_read = double(x.n) * sizeof(T) + double(x.m + 1) * sizeof(Index),
          .bytes_written = double(x.m) * sizeof(T) + double(blocks) * range_bytes<T>},
         kernel, x.values, x.offsets, x.n, share, segments, ranges);
  // A share that begins and ends within a vector or a segment touches two windows more, as do steps that end where
  // the stage is full before and behind the segment.
  queue.chain(rows_chain(own, rows, split.steps + 4) +
              launch_join_blocks<Op>(queue, ranges, blocks, segments));
}

struct merge_path {
  static constexpr Card card{
      .title = "even split of values and segment ends along their merge path, windows of rows in a warp",
      .source = "Merrill and Garland 2016",
      .order = Order::any,
      .parameters = {{{"items", 8, 4, 16, Step::power_of_two,
                       "half the scans of 4; more lie apart in a load; tuned on an H200"},
                      {"loaded", 16, 8, 16, Step::power_of_two,
                       "what a window costs is shared by 512 values; tuned on an H200"},
                      {"steps", 16, 1, 64, Step::power_of_two,
                       "most windows that share a search; tuned on an H200 where all warps had as many"},
                      {"block", 256, 32, 512, Step::power_of_two, "as warp_scan"}}}};

  template <class Op>
  static void run(Queue& queue, const SegReduce<Op>& x) {
    x.needs_offsets(queue);
    if (x.n + x.m == 0) return;
    with_rows(queue, [&](auto items, auto rows) {
      launch_by_offsets<Op, items, rows>(queue, x, int(queue.parameter("block")),
                                         int(queue.parameter("steps")));
    });
  }
};

}  // namespace
REDBENCH_VARIANT(SegReduce, merge_path)
}  // namespace redbench
