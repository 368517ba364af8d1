// Where the keys of a block go: the multiscan of ones (kernels/multiscan/), whose result for a key is how many of its
// digit come before it, behind all keys of smaller digits. Here are the counts of each block, what comes before them in the
// blocks before, and in smaller digits; kernels that move keys begin with that.
#pragma once

#include <algorithm>

#include "kernels/multiscan/turn_scan.hpp"
#include "kernels/multisplit/problem.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// A digit of a key: those of its bits from `shift` on that `mask` has.
struct KeyDigit {
  int shift;
  u32 mask;
  __device__ u32 of(u32 key) const { return key >> shift & mask; }
};

/// Keys, and their values or null where keys move alone.
struct KeyArrays {
  u32 *keys, *values;
};

/// Arguments of the launches of a stable split by a digit below m. A block has a part of `length` keys and row
/// blockIdx.x of `sets`; one row more has where each digit's first key goes.
struct KeySplit {
  const u32 *keys = nullptr, *values = nullptr;
  Index n = 0, length = 0, blocks = 0;
  KeyDigit digit = {};
  int m = 0;
  u32* sets = nullptr;
  Index stride = 0;  // of a row, from m up
  KeyArrays out = {};

  __device__ Index start() const { return Index(blockIdx.x) * length; }
  __device__ int count() const { return part_inputs(n, length); }
  __device__ u32* set(Index row) const { return sets + row * stride; }
  /// Where the block's first key of a digit goes, once places were found.
  __device__ u32 first_place(int digit) const { return set(blocks)[digit] + set(blockIdx.x)[digit]; }
};

inline constexpr int counting_threads = 1024, vectors_ahead = 4;

/// set[digit] = keys of the block's part, on as many columns as fit. From the last vector to the first, so that what the L2
/// still has of the part afterwards is its beginning. The block behind the last part has no keys.
static __global__ void __launch_bounds__(counting_threads, 2) count_digits(KeySplit x, int columns) {
  const Buckets<Sum<u32>, Update::atomic> counts(dynamic_shared<u32>(), x.m, columns);
  counts.clear();
  __syncthreads();
  constexpr int row = inputs_per_row, tile = vectors_ahead * row;
  const u32* const keys = x.keys + x.start();
  const int count = x.count(), tiles = count / tile, warps = blockDim.x / warp_size;
  for (int i = tiles * tile + int(threadIdx.x); i < count; i += blockDim.x)
    counts.combine(x.digit.of(keys[i]), 1);
#pragma unroll 1
  for (int t = tiles - 1 - int(threadIdx.x) / warp_size; t >= 0; t -= warps) {
    Vector<u32, inputs_per_lane> key[vectors_ahead];
#pragma unroll
    for (int k = 0; k < vectors_ahead; ++k)
      key[k] = load_vector<inputs_per_lane>(
          keys, (t * vectors_ahead + k) * warp_size + int(threadIdx.x) % warp_size);
    __syncwarp();  // before the first is counted all are asked for (for_row_of_tile)
#pragma unroll
    for (int k = 0; k < vectors_ahead; ++k) {
      u32(&label)[inputs_per_lane] = key[k].element;
#pragma unroll
      for (u32& one : label) one = x.digit.of(one);
      combine_row<Sum<u32>, Update::atomic>(counts, label, {1, 1, 1, 1});
    }
  }
  __syncthreads();
  for (int l = threadIdx.x; l < x.m; l += blockDim.x) x.set(blockIdx.x)[l] = counts.reduced(l);
}

/// From counts to what comes before in the blocks before; the row behind them becomes the totals.
static __global__ void scan_counts(KeySplit x) {
  const int digit = int(blockIdx.x * warp_size + threadIdx.x % warp_size);
  scan_sets<Sum<u32>>(x.sets + digit, digit < x.m ? int(x.blocks) + 1 : 0, x.stride, dynamic_shared<u32>());
}

/// From totals to what comes before in smaller digits. One block.
static __global__ void __launch_bounds__(1024) scan_totals(KeySplit x) {
  u32* const totals = x.set(x.blocks);
  const int threads = blockDim.x, share = (x.m + threads - 1) / threads;
  const int begin = min(int(threadIdx.x) * share, x.m), end = min(begin + share, x.m);
  u32 own = 0, all;
  for (int l = begin; l < end; ++l) own += totals[l];
  u32 before = block_exclusive_scan<Sum<u32>>(own, all);
  for (int l = begin; l < end; ++l) {
    const u32 total = totals[l];
    totals[l] = before;
    before += total;
  }
}

/// Scratch memory for x.sets, and three launches that fill it. The rest of `x` is there.
inline void find_places(Queue& queue, KeySplit& x) {
  x.stride = Index(round_up(std::size_t(x.m), warp_size));
  x.sets = queue.scratch<u32>((x.blocks + 1) * x.stride);
  const double key_bytes = double(x.n) * sizeof(u32), set_bytes = double(x.blocks + 1) * x.m * sizeof(u32);
  const DeviceFacts& device = queue.device();
  Grid grid{.blocks = x.blocks + 1, .bytes_read = key_bytes, .bytes_written = set_bytes};
  grid.shared_bytes = std::max(
      std::min(device.shared_bytes / 2, device.shared_bytes_per_block) - device.shared_bytes_reserved,
      std::size_t(x.m) * sizeof(u32));
  const Index columns = shape_for_columns<u32>(grid, x.m, 2);
  launch(queue, grid, count_digits, x, int(columns));
  const int warps = int(std::min<Index>(x.blocks + 1, 32));
  launch(queue,
         {.blocks = ceil_div(x.m, warp_size),
          .threads = warps * warp_size,
          .shared_bytes = std::size_t(warps) * warp_size * sizeof(u32),
          .bytes_read = 2 * set_bytes,
          .bytes_written = set_bytes},
         scan_counts, x);
  launch(queue, {.threads = 1024, .bytes_read = 8.0 * x.m, .bytes_written = 4.0 * x.m}, scan_totals, x);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
