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

/// The blocks' tables in global memory with counts of 8 bits. A word holds bins `lane`, `lane` + 32, + 64 and
/// + 96 of 128, so that words, and the counts that they are added to, are read and written by whole warps.
inline constexpr int bins_per_word = 4, bins_per_row = bins_per_word * warp_size;
struct ByteTables {
  u32* words;  // [blocks][rows][32]
  Index rows;

  explicit ByteTables(u32* at, Index m) : words(at), rows(ceil_div(m, bins_per_row)) {}
  __host__ Index size(Index blocks) const { return blocks * rows * warp_size; }
};

/// Stores the low bytes of the block's counts, and returns whether there is a count with more.
template <class Count>
__device__ __forceinline__ bool store_low_bytes(ByteTables tables, Index m, const Count& count) {
  u32 any_bits = 0;
  for (Index i = threadIdx.x; i < tables.rows * warp_size; i += blockDim.x) {
    u32 word = 0;
#pragma unroll
    for (int k = 0; k < bins_per_word; ++k) {
      const Index bin = i / warp_size * bins_per_row + k * warp_size + i % warp_size;
      const u32 counted = bin < m ? count(bin) : 0;
      any_bits |= counted;
      word |= (counted & 0xff) << 8 * k;
    }
    tables.words[blockIdx.x * tables.rows * warp_size + i] = word;
  }
  return any_bits > 0xff;
}

/// Adds the low bytes of all blocks to the result; those past m are 0. Where there are fewer rows than warps,
/// several warps share the blocks of a row, 16 or more each, and atomics join their sums.
__device__ __forceinline__ void add_low_bytes(ByteTables tables, u32* result) {
  const int lane = threadIdx.x % warp_size, blocks = gridDim.x;
  const Index warps = Index(blocks) * blockDim.x / warp_size;
  const int parts = int(min(Index(blocks + 15) / 16, max(Index(1), warps / tables.rows)));
  const Index items = tables.rows * parts;
  for (Index item = (Index(threadIdx.x) / warp_size) * blocks + blockIdx.x; item < items; item += warps) {
    const Index row = item / parts;
    u32 sums[bins_per_word] = {};
#pragma unroll 8
    for (int block = int(item % parts); block < blocks; block += parts) {
      const u32 word = tables.words[(block * tables.rows + row) * warp_size + lane];
#pragma unroll
      for (int k = 0; k < bins_per_word; ++k) sums[k] += word >> 8 * k & 0xff;
    }
#pragma unroll
    for (int k = 0; k < bins_per_word; ++k)
      if (sums[k]) atomicAdd(&result[row * bins_per_row + k * warp_size + lane], sums[k]);
  }
}

/// Joins the blocks' tables by an atomic for each count of each block, or `by_bytes`: by tables in global
/// memory, with atomics for what is past a byte. The block's threads have gone through a barrier since the last
/// count.
template <bool by_bytes, class Count>
__device__ __forceinline__ void join_tables(ByteTables tables, Index m, const Count& count, u32* result) {
  bool high = false;
  if constexpr (by_bytes) high = __syncthreads_or(store_low_bytes(tables, m, count));
  grid_sync();
  if constexpr (by_bytes) {
    if (high) add_counts(m, [&](Index bin) { return count(bin) & ~0xffu; }, result);
    add_low_bytes(tables, result);
  } else {
    add_counts(m, count, result);
  }
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
