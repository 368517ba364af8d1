// Model: owners and values are read once and a result is written for each, 12 bytes for values of four, in one
// launch behind one that clears 8 bytes a tile. A tile's life is the latency of its loads, its scan, two
// barriers, what it waits for tiles before it, and its stores; while it lives its registers are the bytes under
// way, so that blocks on a multiprocessor times their tiles must be its share of bandwidth times a life.
#include <algorithm>

#include "kernels/parts/block_scan.hpp"
#include "kernels/parts/load_vector.hpp"
#include "kernels/parts/look_back.hpp"
#include "kernels/parts/power_of_two.hpp"
#include "kernels/parts/segmented_operator.hpp"
#include "kernels/segscan/problem.hpp"

namespace redbench {
namespace {

constexpr int items = 4;  // neighbours of a lane in a row

/// Registers: 64 hold 16 values of four bytes, others have 128.
template <class T, int rows>
constexpr int most_threads = rows * sizeof(T) <= 16 ? 1024 : 512;

/// What a warp has of a tile: rows of 128 neighbours, four for each lane.
template <class Op, int rows>
struct WarpTile {
  using T = typename Op::Value;
  static constexpr Index row_size = items * warp_size, size = rows * row_size;

  Vector<T, items> value[rows];
  u32 starts = 0;  // bit items * r + k: a segment starts at item k of row r
  T before[rows];  // reduction of what is before the lane in the row, back to the last start in the warp
  u32 open = 0;    // bit r: no start is before the lane in row r and the rows before it

  /// `first` is the warp's first input. Past the end the identity, and no start.
  __device__ __forceinline__ void fetch(const SegScan<Op>& x, Index first) {
    const int lane = threadIdx.x % warp_size;
    Vector<u32, items> owner[rows];
    u32 last = 0;  // in lane 0: owner of the input before the row
    if (first + size <= x.n) {
      if (lane == 0 && first > 0) last = x.owners[first - 1];
#pragma unroll
      for (int r = 0; r < rows; ++r) {
        owner[r] = load_vector<items>(x.owners + first, r * warp_size + lane);
        value[r] = load_vector<items>(x.values + first, r * warp_size + lane);
      }
    } else {
      if (lane == 0 && first > 0) last = x.owners[min(first, x.n) - 1];
#pragma unroll
      for (int r = 0; r < rows; ++r)
#pragma unroll
        for (int k = 0; k < items; ++k) {
          const Index i = first + r * row_size + lane * items + k;
          owner[r].element[k] = x.owners[min(i, x.n - 1)];
          value[r].element[k] = i < x.n ? x.values[i] : Op::identity();
        }
    }
    if (first == 0) last = ~owner[0].element[0];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      const u32 left = shuffle(full_mask, owner[r].element[items - 1], (lane + warp_size - 1) % warp_size);
      u32 previous = lane == 0 ? last : left;
      last = left;
#pragma unroll
      for (int k = 0; k < items; ++k) {
        if (owner[r].element[k] != previous) starts |= 1u << (items * r + k);
        previous = owner[r].element[k];
      }
    }
  }

  /// All lanes return the reduction since the last start in the warp, or of all, and whether there is one.
  __device__ __forceinline__ typename Segmented<Op>::Value scan() {
    const Op op;
    const int lane = threadIdx.x % warp_size;
    T total = Op::identity();
    bool started = false;
    unsigned with_start[rows];
    T sum[rows];
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      sum[r] = value[r].element[0];
#pragma unroll
      for (int k = 1; k < items; ++k) {
        const T element = value[r].element[k];
        sum[r] = starts >> (items * r + k) & 1 ? element : op(sum[r], element);
      }
      with_start[r] = __ballot_sync(full_mask, (starts >> items * r & ((1 << items) - 1)) != 0);
      // The lane adds what comes before it back to the last lane that has a start.
      const unsigned up_to_here = with_start[r] & (full_mask >> (warp_size - 1 - lane));
      const int reach = lane - (warp_size - 1) + __clz(int(up_to_here | 1));
#pragma unroll
      for (int offset = 1; offset < warp_size; offset *= 2) {
        const T joined = op(shuffle_up(full_mask, sum[r], offset), sum[r]);
        if (offset <= reach) sum[r] = joined;
      }
    }
    // Rows were independent until here, so that their shuffles overlap.
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      before[r] = shuffle_up(full_mask, sum[r], 1);
      if (lane == 0) before[r] = Op::identity();
      const bool none = (with_start[r] & ((1u << lane) - 1)) == 0;
      if (none) before[r] = op(total, before[r]);
      if (none && !started) open |= 1u << r;
      const T row_total = shuffle(full_mask, sum[r], warp_size - 1);
      total = with_start[r] ? row_total : op(total, row_total);
      started |= with_start[r] != 0;
    }
    return {total, started};
  }

  /// Writes the results; `earlier` is the reduction of what is open before the warp.
  __device__ __forceinline__ void store(const SegScan<Op>& x, Index first, T earlier) const {
    const Op op;
    const int lane = threadIdx.x % warp_size;
#pragma unroll
    for (int r = 0; r < rows; ++r) {
      Vector<T, items> out;
      T sum = open >> r & 1 ? op(earlier, before[r]) : before[r];
#pragma unroll
      for (int k = 0; k < items; ++k) {
        if (starts >> (items * r + k) & 1) sum = Op::identity();
        out.element[k] = sum;
        sum = op(sum, value[r].element[k]);
      }
      const Index i = first + r * row_size + lane * items;
      if (first + size <= x.n) {
        *reinterpret_cast<Vector<T, items>*>(x.result + i) = out;
      } else {
#pragma unroll
        for (int k = 0; k < items; ++k)
          if (i + k < x.n) x.result[i + k] = out.element[k];
      }
    }
  }
};

/// Lane w returns what is open before warp w of the block. of_warp[w] is what warp w has. The first warp calls;
/// `begins`: a segment starts with the tile, which so needs nothing of the tiles before it.
template <class Op>
__device__ __forceinline__ typename Op::Value open_before_warps(const typename Segmented<Op>::Value* of_warp,
                                                                bool begins, Index tile,
                                                                TileStates<typename Op::Value> states,
                                                                unsigned pause) {
  using T = typename Op::Value;
  using Pair = Segmented<Op>;
  const int lane = threadIdx.x % warp_size;
  const auto inclusive =
      warp_inclusive_scan<Pair>(lane < int(blockDim.x / warp_size) ? of_warp[lane] : Pair::identity());
  const auto all = shuffle(full_mask, inclusive, warp_size - 1);
  auto exclusive = shuffle_up(full_mask, inclusive, 1);
  if (lane == 0) exclusive = Pair::identity();

  // What comes before a tile does not reach past a start in it.
  if (lane == 0) states.tell(tile, all.flag ? TileStatus::complete : TileStatus::partial, all.value);
  if (begins) return exclusive.value;
  const T earlier = reduce_earlier<Op>(states, tile, pause);
  if (lane == 0 && !all.flag) states.tell(tile, TileStatus::complete, Op()(earlier, all.value));
  return exclusive.flag ? exclusive.value : Op()(earlier, exclusive.value);
}

template <class Op, int rows>
__global__ void __launch_bounds__(most_threads<typename Op::Value, rows>, 1)
    scan_tiles(SegScan<Op> x, Index tiles, TileStates<typename Op::Value> states, unsigned pause) {
  using T = typename Op::Value;
  __shared__ Index taken;
  __shared__ typename Segmented<Op>::Value of_warp[warp_size];
  __shared__ T open_before[warp_size];
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;

  if (threadIdx.x == 0) taken = states.take();
  __syncthreads();
  for (Index tile = taken; tile < tiles; tile = taken) {
    const Index first = (tile * warps + warp) * WarpTile<Op, rows>::size;
    WarpTile<Op, rows> own;
    Index next = 0;
    if (threadIdx.x == 0) next = states.take();  // answered while the inputs are on their way
    own.fetch(x, first);
    const auto all = own.scan();
    if (lane == 0) of_warp[warp] = all;
    __syncthreads();
    if (warp == 0) {
      const bool begins = shuffle(full_mask, own.starts, 0) & 1;
      open_before[lane] = open_before_warps<Op>(of_warp, begins, tile, states, pause);
      if (lane == 0) taken = next;
    }
    __syncthreads();
    own.store(x, first, open_before[warp]);
  }
}

struct look_back {
  static constexpr Card card{
      .title = "one pass over the input: a tile tells its reduction, whole where a segment starts in it",
      .source =
          "Merrill and Garland 2016, decoupled look-back, with the flag of Sengupta, Harris and Garland 2008",
      .order = Order::any,
      .reproducible = Reproducible::exact,
      .parameters = {
          {{"rows", 4, 1, 8, Step::power_of_two,
            "of four values for each lane, all loaded at once; reasoned, to be tuned: 128 kB of a multiprocessor"},
           {"block", 512, 32, 1024, Step::multiple_of_warp,
            "most threads, 512 where `rows` takes more than 64 bytes a lane; reasoned, to be tuned: two blocks "
            "take turns, tiles are few enough to look back at"},
           {"per_sm", 0, 0, 32, Step::one, "blocks on a multiprocessor; 0: as many as it holds"},
           {"pause", 20, 0, 1000, Step::one, "nanoseconds between two looks; reasoned, to be tuned"}}}};

  template <class Op>
  static void run(Queue& queue, const SegScan<Op>& x) {
    if (x.n == 0) return;
    with_power_of_two<1, 8>(queue.parameter("rows"), [&](auto rows) { scan<rows>(queue, x); });
  }

 private:
  template <int rows, class Op>
  static void scan(Queue& queue, const SegScan<Op>& x) {
    using T = typename Op::Value;
    const auto kernel = scan_tiles<Op, rows>;
    const Index threads = std::min<Index>(queue.parameter("block"), most_threads<T, rows>);
    const Index warps = threads / warp_size, tiles = ceil_div(x.n, warps * WarpTile<Op, rows>::size);
    const Index per_sm = queue.parameter("per_sm"),
                resident = persistent_blocks(queue, kernel, int(threads), 0);
    const Index asked = per_sm > 0 ? per_sm * queue.device().multiprocessors : resident;
    const auto states = TileStates<T>::scratch(queue, tiles);
    launch(queue,
           {.blocks = std::clamp<Index>(asked, 1, tiles),
            .threads = int(threads),
            .bytes_read = x.input_bytes(),
            .bytes_written = x.result_bytes()},
           kernel, x, tiles, states, unsigned(queue.parameter("pause")));
    // A tile that takes in t tiles before it adds at most t operations: a tree over up to five has at most t - 1.
    queue.chain(tiles + 2 * items + 2 * rows + 2 * warp_scan_chain + 4);
  }
};

}  // namespace
REDBENCH_VARIANT(SegScan, look_back)
}  // namespace redbench
