// 64 histograms of 8-bit bins in shared memory, emptied into registers before a bin can be full: TRISH
// (Eilers 2014, 4.3.1, Algorithm 4.3) and its form with several threads for each histogram (4.5.2).
#pragma once

#include "kernels/histogram/partial_counts.hpp"
#include "kernels/parts/load_vector.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

inline constexpr int byte_columns = 64;
inline constexpr std::size_t byte_counter_bytes = byte_columns * byte_bins;
/// Words that are fetched before the first of them is binned: a divisor of 63, and all that 8 x 64 threads
/// may bin at once.
inline constexpr int words_at_once = 7;

/// The words that each of `factor` threads may add to a histogram's bins of 8 bits: 252 labels, and three
/// past the last whole word.
template <int factor>
inline constexpr int words_per_flush = 255 / labels_per_word / factor;

/// The word that holds a label's bin in the histogram of this column. Bins 4 r to 4 r + 3 are row r, so all
/// of a histogram lies in one bank, and those of a warp in 32.
__device__ __forceinline__ int word_of_bin(u32 label, int column) {
  return column + byte_columns * int(label / 4);
}

/// Adds row t % 64, its bins of all histograms, to counts[0..4) and clears it. The `factor` threads of a row
/// take every factor-th column, rows begin each on another bank. Two bins are added at a time, as halves of a
/// word: 64 x 255 fits.
template <int factor>
__device__ __forceinline__ void take_row(u32* bins, int t, u32 (&counts)[4]) {
  const int row = t % byte_columns, part = t / byte_columns;
  u32 even = 0, odd = 0;
#pragma unroll
  for (int k = 0; k < byte_columns; k += factor) {
    if (k + factor > byte_columns && k + part >= byte_columns) break;
    u32& word = bins[byte_columns * row + (row + k + part) % byte_columns];
    even += word & 0x00ff00ff;
    odd += word >> 8 & 0x00ff00ff;
    word = 0;
  }
  counts[0] += even & 0xffff;
  counts[1] += odd & 0xffff;
  counts[2] += even >> 16;
  counts[3] += odd >> 16;
}

/// Partial[block * 256 + bin] from what each row's threads took. The bins are clear, and nobody reads them
/// any more.
template <int factor>
__device__ __forceinline__ void put_rows(u32* bins, int t, const u32 (&counts)[4], u32* partial) {
  const int row = t % byte_columns;
  u32* const out = partial + Index(blockIdx.x) * byte_bins;
  if constexpr (factor == 1) {
    reinterpret_cast<Vector<u32, 4>*>(out)[row] = {counts[0], counts[1], counts[2], counts[3]};
  } else {
#pragma unroll
    for (int k = 0; k < 4; ++k) atomicAdd(&bins[k * byte_columns + row], counts[k]);
    __syncthreads();
    for (int i = t; i < byte_bins; i += factor * byte_columns) out[i] = bins[i % 4 * byte_columns + i / 4];
  }
}

/// Blocks that a multiprocessor's registers have to hold, the three of the thesis; 0: as many as nvcc leaves.
/// With 448 and 512 threads it takes 59 and 56 registers, of which two blocks fit (sm_90). With 40 three do,
/// and what is spilled, 48 and 40 bytes, is read once for all words of a flush. With fewer threads three fit
/// anyway, and a bound makes nvcc take more registers.
template <int factor>
inline constexpr int blocks_to_fit = factor > 6 ? 3 : 0;

/// TRISH and BankTRISH differ in `Bins`: add(bins, column, word) counts a word's labels, add_one a label.
template <int factor, class Bins>
__global__ void __launch_bounds__(factor* byte_columns, blocks_to_fit<factor>)
    count_in_bytes(const u8* labels, Index n, u32* partial) {
  constexpr int threads = factor * byte_columns, per_flush = words_per_flush<factor>;
  auto* const bins = dynamic_shared<u32>();
  const int t = threadIdx.x, column = t % byte_columns;
  for (int i = t; i < byte_columns * byte_columns; i += threads) bins[i] = 0;
  __syncthreads();
  bin_last_labels(labels, n, [=](u32 label) { Bins::add_one(bins, column, label); });

  // Rows 4 (t % 64) to 4 (t % 64) + 3 of what was taken so far, of this thread's columns.
  u32 counts[4] = {};
  const BlockWords words = words_of_block(labels, n);
  Index first = 0;
  do {
    if (first + per_flush <= words.full) {
      // Without the barrier nvcc fetches most words just before they are binned.
#pragma unroll
      for (int k = 0; k < per_flush; k += words_at_once) {
        u32 word[words_at_once];
#pragma unroll
        for (int j = 0; j < words_at_once; ++j)
          if (k + j < per_flush) word[j] = words.first[(first + k + j) * threads + t];
        __syncwarp();
#pragma unroll
        for (int j = 0; j < words_at_once; ++j)
          if (k + j < per_flush) Bins::add(bins, column, word[j]);
      }
    } else {
      bin_rounds(words, first, per_flush, [=](u32 word) { Bins::add(bins, column, word); });
    }
    first += per_flush;
    __syncthreads();
    take_row<factor>(bins, t, counts);
    __syncthreads();
  } while (first < words.rounds);
  put_rows<factor>(bins, t, counts, partial);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
