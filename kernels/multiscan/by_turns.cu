#include <algorithm>
#include <bit>

#include "kernels/multiscan/problem.hpp"
#include "kernels/parts/labelled_vectors.hpp"
#include "kernels/parts/private_buckets.hpp"
#include "kernels/parts/turns.hpp"

namespace redbench {
namespace {

/// Arguments of the launches: a block, a chain of turns, has a part of `length` inputs and row blockIdx.x of
/// `sets`, m values and others up to `stride`: first its totals, then what comes before it.
template <class Op>
struct Chains {
  using T = typename Op::Value;
  const u32* labels;
  const T* values;
  Index n, length;
  int m, bits;
  FindEqual find;
  T* sets;
  Index stride;

  __device__ Index start() const { return Index(blockIdx.x) * length; }
  __device__ int count() const { return part_inputs(n, length); }
  __device__ T* set() const { return sets + blockIdx.x * stride; }
  __device__ TurnTable<Op> table() const { return {m, bits, find}; }
};

template <class Op, class Walk>
__global__ void __launch_bounds__(most_turn_threads, Walk::blocks) total_by_turns(Chains<Op> x) {
  const TurnTable<Op> table = x.table();
  reduce_in_turns<Walk>(x.labels + x.start(), x.values + x.start(), x.count(), table);
  __syncthreads();
  for (int l = threadIdx.x; l < x.m; l += blockDim.x) x.set()[l] = table.values[l];
}

/// The same by atomics, of more threads, on as many columns as fit where the scan has its table; tiles from the last
/// to the first, too.
template <class Op>
__global__ void __launch_bounds__(1024, 2) total_by_atomics(Chains<Op> x, int columns) {
  using T = typename Op::Value;
  constexpr int update = shared_atomic<Op>;
  constexpr int loads = 2, tile = inputs_per_tile<loads>;
  const Buckets<Op, update> buckets(dynamic_shared<T>(), x.m, columns);
  buckets.clear();
  __syncthreads();
  const int tiles = x.count() / tile, warps = blockDim.x / warp_size, lane = threadIdx.x % warp_size;
  const u32* const labels = x.labels + x.start();
  const T* const values = x.values + x.start();
  for (int i = tiles * tile + threadIdx.x; i < x.count(); i += blockDim.x)
    buckets.combine(labels[i], values[i]);
#pragma unroll 1
  for (int t = tiles - 1 - int(threadIdx.x) / warp_size; t >= 0; t -= warps)
    for_row_of_tile<loads>(
        labels, values, t * loads * warp_size + lane,
        [&](const u32(&label)[4], const T(&value)[4]) { combine_row<Op, update>(buckets, label, value); });
  __syncthreads();
  for (int l = threadIdx.x; l < x.m; l += blockDim.x) x.set()[l] = buckets.reduced(l);
}

/// set[c][label] = the reduction of sets 0 to c - 1. A block has 32 labels, each of its warps a share of the
/// chains.
template <class Op>
__global__ void scan_chains(typename Op::Value* sets, int chains, int m, Index stride) {
  using T = typename Op::Value;
  const Op op;
  auto* const of_warp = dynamic_shared<T>();
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size, warps = blockDim.x / warp_size;
  const int label = int(blockIdx.x) * warp_size + lane, share = (chains + warps - 1) / warps;
  const int begin = min(warp * share, chains), end = label < m ? min(begin + share, chains) : begin;

  T total = Op::identity();
#pragma unroll 8
  for (int c = begin; c < end; ++c) total = op(total, sets[c * stride + label]);
  of_warp[threadIdx.x] = total;
  __syncthreads();
  T before = Op::identity();
#pragma unroll 4
  for (int w = 0; w < warp; ++w) before = op(before, of_warp[w * warp_size + lane]);
#pragma unroll 8
  for (int c = begin; c < end; ++c) {
    const T of_chain = sets[c * stride + label];
    sets[c * stride + label] = before;
    before = op(before, of_chain);
  }
}

/// Row `row` of a prepared tile and the table: the lane's result, and what its label has been up to here.
template <class Op, bool inclusive, int at_once, int first>
__device__ __forceinline__ void scan_rows(TurnTile<typename Op::Value>& tile, typename Op::Value* values) {
  using T = typename Op::Value;
  const Op op;
  if (tile.free >> first & 1) {
    T before[at_once];
#pragma unroll
    for (int k = 0; k < at_once; ++k) before[k] = values[tile.label[first + k]];
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      const T after = op(before[k], tile.total[first + k]);
      values[tile.label[first + k]] = after;
      tile.total[first + k] = inclusive ? after : before[k];
    }
    __syncwarp();
  } else {
#pragma unroll
    for (int k = 0; k < at_once; ++k) {
      T& value = values[tile.label[first + k]];
      const T before = value, after = op(before, tile.total[first + k]);
      __syncwarp();
      if (tile.last >> (first + k) & 1) value = after;
      tile.total[first + k] = inclusive ? after : op(before, tile.before[first + k]);
      __syncwarp();
    }
  }
  if constexpr (first + at_once < turn_rows) scan_rows<Op, inclusive, at_once, first + at_once>(tile, values);
}

template <class Op, bool inclusive, class Walk>
__global__ void __launch_bounds__(most_turn_threads, Walk::blocks)
    scan_by_turns(Chains<Op> x, typename Op::Value* result) {
  using Tile = TurnTile<typename Op::Value>;
  const TurnTable<Op> table = x.table();
  const int count = x.count(), lane = threadIdx.x % warp_size;
  for (int l = threadIdx.x; l <= x.m; l += blockDim.x)
    table.values[l] = l < x.m ? x.set()[l] : Op::identity();
  __syncthreads();
  Walk::template run<false, Op>(
      x.labels + x.start(), x.values + x.start(), count, table,
      [&](Tile& tile) { scan_rows<Op, inclusive, Walk::at_once, 0>(tile, table.values); },
      [&](const Tile& tile, int first) {
        auto* const out = result + x.start() + first + lane;
#pragma unroll
        for (int r = 0; r < turn_rows; ++r)
          if (first + r * warp_size + lane < count) out[r * warp_size] = tile.total[r];
      });
}

struct by_turns {
  static constexpr Card card{
      .title =
          "a table in each block's shared memory that its warps read and update in input order, one after "
          "the other",
      .source =
          "not in the thesis; the segments of Eilers 2014, Alg. 5.2, one for each block instead of each "
          "thread",
      .order = Order::any,
      .parameters = {{turn_chains, turn_warps, turn_find, turn_at_once}}};

  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
    if (x.n == 0) return;
    using T = typename Op::Value;
    const TurnShape shape =
        turn_shape(queue, x.n, x.m, [&](Index warps) { return turn_bytes<T>(x.m, warps); });
    const Index chains = shape.parts.blocks, stride = Index(round_up(std::size_t(x.m), warp_size));
    T* const sets = queue.scratch<T>(chains > 1 ? chains * stride : stride);
    const double set_bytes = double(chains) * double(x.m) * sizeof(T);
    const Chains<Op> all{x.labels,           x.values, x.n,
                         shape.parts.length, int(x.m), int(std::bit_width(std::uint64_t(x.m))),
                         shape.find,         sets,     stride};

    with_turn_walk(shape, [&](auto walk) {
      using Walk = decltype(walk);
      total<Walk>(queue, x, all, shape);
      launch(queue,
             {.blocks = ceil_div(x.m, warp_size),
              .threads = warp_size * int(std::min<Index>(chains, 32)),
              .shared_bytes = warp_size * std::size_t(std::min<Index>(chains, 32)) * sizeof(T),
              .bytes_read = 2 * set_bytes,
              .bytes_written = set_bytes},
             scan_chains<Op>, sets, int(chains), int(x.m), stride);
      launch(queue,
             {.blocks = chains,
              .threads = int(shape.warps) * warp_size,
              .shared_bytes = turn_bytes<T>(x.m, shape.warps),
              .bytes_read = x.input_bytes() + set_bytes,
              .bytes_written = x.result_bytes()},
             x.inclusive ? scan_by_turns<Op, true, Walk> : scan_by_turns<Op, false, Walk>, all, x.result);
    });
    queue.chain(2 * turn_chain(shape.parts.length) + 2 * ceil_div(chains, 32) + 32);
  }

 private:
  template <class Walk, class Op>
  static void total(Queue& queue, const Multiscan<Op>& x, const Chains<Op>& all, const TurnShape& shape) {
    using T = typename Op::Value;
    Grid grid{.blocks = shape.parts.blocks,
              .threads = int(shape.warps) * warp_size,
              .shared_bytes = turn_bytes<T>(x.m, shape.warps),
              .bytes_read = x.input_bytes(),
              .bytes_written = double(shape.parts.blocks) * double(x.m) * sizeof(T)};
    if constexpr (native_in_shared<Op>) {
      grid.threads = int(std::min<Index>(1024, 2048 / shape.chains / warp_size * warp_size));
      const Index bucket_bytes = x.m * Index(sizeof(T)), fit = Index(grid.shared_bytes) / bucket_bytes;
      const Index columns = std::min<Index>(Index(std::bit_floor(std::uint64_t(fit))), 32);
      grid.shared_bytes = std::size_t(columns * bucket_bytes);
      launch(queue, grid, total_by_atomics<Op>, all, int(columns));
    } else {
      launch(queue, grid, total_by_turns<Op, Walk>, all);
    }
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, by_turns)
}  // namespace redbench
