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

/// Joins the blocks' tables by an atomic for each count of each block. The block's threads have gone through a
/// barrier since the last count.
template <class Count>
__device__ __forceinline__ void join_tables(Index m, const Count& count, u32* result) {
  grid_sync();
  add_counts(m, count, result);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
