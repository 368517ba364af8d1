// What multiscans by turns do with a block's part of the input and its set: totals, what comes before, the scan.
#pragma once

#include <algorithm>
#include <bit>

#include "kernels/parts/labelled_vectors.hpp"
#include "kernels/parts/private_buckets.hpp"
#include "kernels/parts/turns.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Shapes a launch of blocks that each total by atomics in `grid.shared_bytes`, `chains` on a multiprocessor. Returns the
/// columns of the table of m labels, a power of two up to 32.
template <class T>
Index shape_for_columns(Grid& grid, Index m, Index chains) {
  const std::size_t column = std::size_t(m) * sizeof(T);
  const Index columns = std::min<Index>(Index(std::bit_floor(grid.shared_bytes / column)), 32);
  grid.threads = int(std::min<Index>(1024, 2048 / chains / warp_size * warp_size));
  grid.shared_bytes = std::size_t(columns) * column;
  return columns;
}

/// set[label] = the reduction of a block's inputs of the label, by atomics on a table of `columns` columns. Tiles from
/// the last to the first, so that what the L2 still has of the part afterwards is its beginning.
template <class Op>
__device__ __forceinline__ void total_in_columns(const u32* labels, const typename Op::Value* values,
                                                 int count, int m, int columns, typename Op::Value* set) {
  using T = typename Op::Value;
  constexpr int update = shared_atomic<Op>;
  constexpr int loads = 2, tile = inputs_per_tile<loads>;
  const Buckets<Op, update> buckets(dynamic_shared<T>(), m, columns);
  buckets.clear();
  __syncthreads();
  const int tiles = count / tile, warps = blockDim.x / warp_size, lane = threadIdx.x % warp_size;
  for (int i = tiles * tile + threadIdx.x; i < count; i += blockDim.x) buckets.combine(labels[i], values[i]);
#pragma unroll 1
  for (int t = tiles - 1 - int(threadIdx.x) / warp_size; t >= 0; t -= warps)
    for_row_of_tile<loads>(
        labels, values, t * loads * warp_size + lane,
        [&](const u32(&label)[4], const T(&value)[4]) { combine_row<Op, update>(buckets, label, value); });
  __syncthreads();
  for (int l = threadIdx.x; l < m; l += blockDim.x) set[l] = buckets.reduced(l);
}

/// Replaces value c of `count`, `stride` apart, by the reduction of those before it. A lane has a label, each warp of
/// the block a share of the label's values. of_warp[thread] is shared memory. All threads of the block call.
template <class Op>
__device__ __forceinline__ void scan_sets(typename Op::Value* sets, int count, Index stride,
                                          typename Op::Value* of_warp) {
  using T = typename Op::Value;
  const Op op;
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size, warps = blockDim.x / warp_size;
  const int share = (count + warps - 1) / warps, begin = min(warp * share, count),
            end = min(begin + share, count);
  T total = Op::identity();
#pragma unroll 8
  for (int c = begin; c < end; ++c) total = op(total, sets[c * stride]);
  of_warp[threadIdx.x] = total;
  __syncthreads();
  T before = Op::identity();
#pragma unroll 4
  for (int w = 0; w < warp; ++w) before = op(before, of_warp[w * warp_size + lane]);
#pragma unroll 8
  for (int c = begin; c < end; ++c) {
    const T own = sets[c * stride];
    sets[c * stride] = before;
    before = op(before, own);
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

/// The results of a block's inputs; set[label] is what comes before them, and they may lie where the values do.
template <class Op, bool inclusive, class Walk>
__device__ __forceinline__ void scan_in_turns(const u32* labels, const typename Op::Value* values, int count,
                                              const TurnTable<Op>& table, const typename Op::Value* set,
                                              typename Op::Value* result) {
  using Tile = TurnTile<typename Op::Value>;
  const int lane = threadIdx.x % warp_size;
  for (int l = threadIdx.x; l <= table.m; l += blockDim.x)
    table.values[l] = l < table.m ? set[l] : Op::identity();
  __syncthreads();
  Walk::template run<false, Op>(
      labels, values, count, table,
      [&](Tile& tile) { scan_rows<Op, inclusive, Walk::at_once, 0>(tile, table.values); },
      [&](const Tile& tile, int first) {
        auto* const out = result + first + lane;
#pragma unroll
        for (int r = 0; r < turn_rows; ++r)
          if (first + r * warp_size + lane < count) out[r * warp_size] = tile.total[r];
      });
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
