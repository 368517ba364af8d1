// Labels in loads of 16 bytes, a grid apart: 16 bytes or four words at once.
#pragma once

#include <algorithm>

#include "kernels/histogram/label_words.hpp"
#include "kernels/parts/load_vector.hpp"
#include "kernels/parts/power_of_two.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

inline constexpr int words_per_vector = 4;
template <class Label>
inline constexpr int labels_per_vector = words_per_vector * sizeof(u32) / sizeof(Label);

/// Vectors of a warp's tile: `loads` rows of one for each lane.
template <int loads>
inline constexpr int tile_vectors = loads * warp_size;
using WordVector = Vector<u32, words_per_vector>;

/// take(vector) for those of this lane in every step-th tile from `first` on. A tile is fetched before its first
/// vector is taken: without the barrier nvcc puts most loads just before their words, to save registers.
template <int loads, class Take>
__device__ __forceinline__ void for_tile_vectors(const WordVector* in, Index tiles, Index first, Index step,
                                                 const Take& take) {
#pragma unroll 1
  for (Index i = first; i < tiles; i += step) {
    const WordVector* const at = in + i * tile_vectors<loads> + threadIdx.x % warp_size;
    WordVector fetched[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k) fetched[k] = at[k * warp_size];
    __syncwarp();
#pragma unroll
    for (const WordVector& vector : fetched) take(vector);
  }
}

/// take(word) for the words of those vectors.
template <int loads, class Take>
__device__ __forceinline__ void for_tiles(const WordVector* in, Index tiles, Index first, Index step,
                                          const Take& take) {
  for_tile_vectors<loads>(in, tiles, first, step, [&](const WordVector& vector) {
#pragma unroll
    for (const u32 word : vector.element) take(word);
  });
}

/// take(word) for the words of vectors first to end - 1, which the block's threads share out.
template <class Take>
__device__ __forceinline__ void for_few_vectors(const WordVector* in, Index first, Index end,
                                                const Take& take) {
#pragma unroll 1
  for (Index i = first + threadIdx.x; i < end; i += blockDim.x)
#pragma unroll
    for (const u32 word : in[i].element) take(word);
}

/// take(word) for all words of a grid: tiles go to the blocks in turn, the vectors past them to the last one.
template <int loads, class Take>
__device__ __forceinline__ void for_each_word(const u32* words, Index vectors, const Take& take) {
  const int warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;
  const Index tiles = vectors / tile_vectors<loads>, blocks = gridDim.x;
  const auto* const in = reinterpret_cast<const WordVector*>(words);
  for_tiles<loads>(in, tiles, warp * blocks + blockIdx.x, warps * blocks, take);
  if (blockIdx.x == gridDim.x - 1) for_few_vectors(in, tiles * tile_vectors<loads>, vectors, take);
}

/// take(label) for the labels past the last whole vector, one each for the first threads of the last block.
template <class Label, class Take>
__device__ __forceinline__ void for_last_labels(const Label* labels, Index n, const Take& take) {
  const Index last = n / labels_per_vector<Label> * labels_per_vector<Label> + threadIdx.x;
  if (blockIdx.x == gridDim.x - 1 && last < n) take(u32(labels[last]));
}

/// take(label) for all of a grid's labels.
template <int loads, class Label, class Take>
__device__ __forceinline__ void for_each_label(const Label* labels, Index n, const Take& take) {
  for_each_word<loads>(reinterpret_cast<const u32*>(labels), n / labels_per_vector<Label>, [&](u32 word) {
    if constexpr (sizeof(Label) == sizeof(u32)) {
      take(word);
    } else {
#pragma unroll
      for (int j = 0; j < labels_per_word; ++j) take(label_of(word, j));
    }
  });
  for_last_labels(labels, n, take);
}

/// As many blocks as are resident at once, but none without a tile; at least one.
template <class Label, int loads, class... P>
Index blocks_with_tiles(const Queue& queue, Index n, void (*kernel)(P...), int threads,
                        std::size_t shared_bytes) {
  const Index resident = persistent_blocks(queue, kernel, threads, shared_bytes);
  return std::max<Index>(1, std::min(resident, n / (labels_per_vector<Label> * tile_vectors<loads>)));
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
