#include "kernels/segreduce/rows.hpp"

namespace redbench {
namespace {

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

/// Takes `count` flags, 0 or 1 each, from shared memory and leaves zeros; bit k is flag k. Of four flags in a
/// word the product has flag k in bit 28 + k, and no carries.
template <int count>
__device__ u32 take_flags(u8* flags) {
  u32 bits = 0;
  if constexpr (count % 4 == 0) {
    auto& words = *reinterpret_cast<Vector<u32, count / 4>*>(flags);
    const Vector<u32, count / 4> word = words;
    words = {};
#pragma unroll
    for (int k = 0; k < count / 4; ++k) bits |= word.element[k] * 0x10204080u >> 28 << 4 * k;
  } else {
#pragma unroll
    for (int k = 0; k < count; ++k) {
      bits |= u32(flags[k]) << k;
      flags[k] = 0;
    }
  }
  return bits;
}

/// What a warp walks through: windows of the values, and the ends of segments within each.
template <class Op, int items, int rows>
struct Walk {
  using T = typename Op::Value;
  using Window = Values<Op, items, rows>;
  static constexpr int size = Window::size;
  static constexpr std::size_t bytes = size * (sizeof(T) + 1);  // of shared memory

  const Index *offsets, *ends;  // where segments start and end
  Index m, limit;               // the diagonal at which the next warp begins
  T* result;
  T* stage;            // at a place of the window: the reduction of the segment that ends before it
  u8* starts;          // whether one does: zero between windows
  Index opening, end;  // number of ends before the warp, and so far
  Range<Op> range = Range<Op>::empty();

  __device__ void clear() {
    for (int i = threadIdx.x % warp_size; i < size; i += warp_size) starts[i] = 0;
    __syncwarp();
  }

  /// Takes the next ends that are this warp's and lie in the window, `loads` x 32 at most; returns whether
  /// there may be more. Marks their places but for empty segments, which end where another does; the warp's
  /// first may have values before the warp.
  template <int loads>
  __device__ bool mark(Index window) {
    const int lane = threadIdx.x % warp_size;
    const Index* const from = offsets + end + lane;
    const int left = int(min(m - end, Index(loads * warp_size))), room = int(limit - end - window);
    const bool is_opening = end == opening && lane == 0;
    Index start[loads], at[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      start[k] = at[k] = limit;
      if (lane + k * warp_size < left) {
        start[k] = from[k * warp_size];
        at[k] = from[k * warp_size + 1];
      }
    }
    int taken = 0;
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const Index place = at[k] - window;
      const bool takes = lane + k * warp_size < left && place < min(room - lane - k * warp_size, size);
      if (takes && (start[k] != at[k] || (k == 0 && is_opening))) starts[place] = 1;
      taken += __popc(__ballot_sync(full_mask, takes));
    }
    end += taken;
    return taken == loads * warp_size;
  }

  /// Reduces the window at `window`, of whose values those from `from` on and before the limit count. Returns
  /// whether the limit is behind it.
  __device__ bool step(const T* values, Index n, Index window, Index from) {
    Window group;
    group.load(values, window, n);
    const Index before = end;
    if (mark<1>(window))
      while (mark<4>(window)) {
      }
    const Index to = limit - end;
    if (from > window || to < window + size) group.cut(from - window, to - window);
    if (end == before) {
      range.tail = Op()(range.tail, group.reduce());
    } else {
      __syncwarp();
      reduce(group);
      __syncwarp();
      write(window, before);
      __syncwarp();
    }
    return to > window + size;
  }

 private:
  __device__ void reduce(const Window& group) {
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const auto emit = [&](int item, T value) { stage[Window::place(r, item)] = value; };
      group.reduce_row(r, range.tail, take_flags<items>(starts + Window::place(r, 0)), emit, emit);
    }
  }

  /// Writes the segments from `first` on that ended in the window. The warp's first may have begun before the
  /// warp: it is the head.
  __device__ void write(Index window, Index first) {
    if (!range.ends()) {
      range.head = stage[ends[first] - window];
      range.ended = first++;
    }
#pragma unroll 1
    for (Index i = first + threadIdx.x % warp_size; i < end; i += warp_size) {
      const Index at = ends[i];
      result[i] = offsets[i] == at ? Op::identity() : stage[at - window];
    }
  }
};

/// A warp takes `share` elements of the merged list.
template <class Op, int items, int rows>
__global__ void reduce_by_offsets(const typename Op::Value* values, const Index* offsets, Index n,
                                  Index share, Segments<typename Op::Value> segments,
                                  BlockRanges<typename Op::Value> ranges) {
  using T = typename Op::Value;
  using WarpWalk = Walk<Op, items, rows>;
  const int warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;
  const Index diagonal = (Index(blockIdx.x) * warps + warp) * share, all = n + segments.m;
  Range<Op> range = Range<Op>::empty();
  if (diagonal < all) {
    T* const stage = dynamic_shared<T>() + warp * WarpWalk::size;
    u8* const starts =
        reinterpret_cast<u8*>(dynamic_shared<T>() + warps * WarpWalk::size) + warp * WarpWalk::size;
    const Index opening = ends_before(offsets + 1, segments.m, n, diagonal), first = diagonal - opening;
    WarpWalk walk{.offsets = offsets,
                  .ends = offsets + 1,
                  .m = segments.m,
                  .limit = diagonal + share < all ? diagonal + share : all,
                  .result = segments.result,
                  .stage = stage,
                  .starts = starts,
                  .opening = opening,
                  .end = opening};
    walk.clear();
    for (Index window = first / items * items; walk.step(values, n, window, first);
         window += WarpWalk::size) {
    }
    range = walk.range;
  }
  hand_on<Op>(range, segments, ranges);
}

template <class Op, int items, int rows>
void launch_by_offsets(Queue& queue, const SegReduce<Op>& x, int threads, int steps) {
  using T = typename Op::Value;
  constexpr int own = items_of<T>(items);
  using WarpWalk = Walk<Op, own, rows>;
  const Index warps = threads / warp_size, share = Index(steps) * WarpWalk::size;
  const Index blocks = ceil_div(x.n + x.m, warps * share);
  const Segments<T> segments{x.result, x.m, nullptr};
  const auto ranges = block_ranges<T>(queue, blocks);
  launch(queue,
         {.blocks = blocks,
          .threads = threads,
          .shared_bytes = std::size_t(warps) * WarpWalk::bytes,
          .bytes_read = double(x.n) * sizeof(T) + double(x.m + 1) * sizeof(Index),
          .bytes_written = double(x.m) * sizeof(T) + double(blocks) * range_bytes<T>},
         reduce_by_offsets<Op, own, rows>, x.values, x.offsets, x.n, share, segments, ranges);
  // A share that begins and ends within a vector or a segment touches two windows more.
  queue.chain(rows_chain(own, rows, steps + 2) + launch_join_blocks<Op>(queue, ranges, blocks, segments));
}

struct merge_path {
  static constexpr Card card{
      .title = "even split of values and segment ends along their merge path, windows of rows in a warp",
      .source = "Merrill and Garland 2016",
      .order = Order::any,
      .parameters = {
          {{"items", 8, 4, 16, Step::power_of_two,
            "half the scans of 4; more lie apart in a load; tuned on an H200"},
           {"loaded", 16, 8, 16, Step::power_of_two,
            "what a window costs is shared by 512 values; tuned on an H200"},
           {"steps", 16, 1, 64, Step::power_of_two, "windows that share a search; tuned on an H200"},
           {"block", 256, 32, 512, Step::power_of_two, "as warp_scan"}}}};

  template <class Op>
  static void run(Queue& queue, const SegReduce<Op>& x) {
    x.needs_offsets(queue);
    with_rows(queue, [&](auto items, auto rows) {
      launch_by_offsets<Op, items, rows>(queue, x, int(queue.parameter("block")),
                                         int(queue.parameter("steps")));
    });
  }
};

}  // namespace
REDBENCH_VARIANT(SegReduce, merge_path)
}  // namespace redbench
