// One histogram from those that resident blocks have in shared memory, within the launch that counts: every
// count is cleared before a barrier over the grid and added to behind it.
#pragma once

#include "kernels/histogram/problem.hpp"
#include "kernels/parts/load_vector.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Clears words[0..count) of shared memory, which is allocated in whole vectors. A barrier has to follow.
__device__ __forceinline__ void clear_table(u32* words, int count) {
  auto* const vectors = reinterpret_cast<Vector<u32, 4>*>(words);
  for (int i = threadIdx.x; i < (count + 3) / 4; i += blockDim.x) vectors[i] = {};
}
inline std::size_t table_bytes(Index words) { return round_up(std::size_t(words) * sizeof(u32), 16); }

/// Clears result[0..m), a part by each block. A barrier over the grid has to follow.
__device__ __forceinline__ void clear_result(u32* result, Index m) {
  const Index threads = Index(gridDim.x) * blockDim.x;
  for (Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x; i < m; i += threads) result[i] = 0;
}

/// result[bin] += count(bin) for the bins below m. Each block begins at another bin, so that not all wait for
/// the same words.
template <class Count>
__device__ __forceinline__ void add_counts(Index m, const Count& count, u32* result) {
  const Index start = Index(blockIdx.x) * m / gridDim.x;
  for (Index i = threadIdx.x; i < m; i += blockDim.x) {
    const Index bin = start + i < m ? start + i : start + i - m;
    if (const u32 counted = count(bin)) atomicAdd(&result[bin], counted);
  }
}

/// The blocks' tables in global memory with counts of 16 bits. A word holds bins `lane` and `lane` + 32 of 64,
/// so that words, and the counts that they are added to, are read and written by whole warps.
inline constexpr int bins_per_row = 2 * warp_size;
struct HalfTables {
  u32* words;  // [blocks][rows][32]
  Index rows;

  explicit HalfTables(u32* at, Index m) : words(at), rows(ceil_div(m, bins_per_row)) {}
  __host__ Index size(Index blocks) const { return blocks * rows * warp_size; }
};

/// Stores the low halves of the block's counts, and returns whether a count has a high half.
template <class Count>
__device__ __forceinline__ bool store_low_halves(HalfTables tables, Index m, const Count& count) {
  u32 any_bits = 0;
  for (Index i = threadIdx.x; i < tables.rows * warp_size; i += blockDim.x) {
    const Index bin = i / warp_size * bins_per_row + i % warp_size;
    const u32 low = bin < m ? count(bin) : 0;
    const u32 high = bin + warp_size < m ? count(bin + warp_size) : 0;
    any_bits |= low | high;
    tables.words[blockIdx.x * tables.rows * warp_size + i] = (low & 0xffff) | high << 16;
  }
  return any_bits >> 16;
}

/// Adds the low halves of all blocks to the result. Where there are fewer rows than warps, several warps share
/// the blocks of a row, and an atomic joins them.
__device__ __forceinline__ void add_low_halves(HalfTables tables, Index m, u32* result) {
  const int lane = threadIdx.x % warp_size, blocks = gridDim.x;
  const Index warps = Index(blocks) * blockDim.x / warp_size;
  const int parts = int(min(Index(blocks), max(Index(1), warps / tables.rows)));
  const Index items = tables.rows * parts;
  for (Index item = (Index(threadIdx.x) / warp_size) * blocks + blockIdx.x; item < items; item += warps) {
    const Index row = item / parts, bin = row * bins_per_row + lane;
    u32 low = 0, high = 0;
#pragma unroll 8
    for (int block = int(item % parts); block < blocks; block += parts) {
      const u32 word = tables.words[(block * tables.rows + row) * warp_size + lane];
      low += word & 0xffff;
      high += word >> 16;
    }
    if (low) atomicAdd(&result[bin], low);
    if (high) atomicAdd(&result[bin + warp_size], high);
  }
}

/// Joins the blocks' tables: by an atomic for each count of each block (0), or by tables in global memory (1).
/// The block's threads have gone through a barrier since the last count.
template <bool by_halves, class Count>
__device__ __forceinline__ void join_tables(HalfTables tables, Index m, const Count& count, u32* result) {
  bool high = false;
  if constexpr (by_halves) high = __syncthreads_or(store_low_halves(tables, m, count));
  grid_sync();
  if constexpr (by_halves) {
    if (high) add_counts(m, [&](Index bin) { return count(bin) & 0xffff0000; }, result);
    add_low_halves(tables, m, result);
  } else {
    add_counts(m, count, result);
  }
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
