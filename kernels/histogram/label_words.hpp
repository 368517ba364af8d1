// Labels of one byte, read as words of four: the histograms of at most 256 bins (Eilers 2014, 4.3.1).
#pragma once

#include <algorithm>

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

inline constexpr int labels_per_word = 4;

/// Label j of a word, 0 to 3: the lowest byte comes first in memory.
__device__ __forceinline__ u32 label_of(u32 word, int j) { return word >> 8 * j & 0xff; }

/// The words of a block: a contiguous part, as many for each block but the last ones, in rounds of one word
/// for each thread.
struct BlockWords {
  const u32* first;
  Index count;
  Index full;    // rounds with a word for every thread
  Index rounds;  // with the one that is cut
};

__device__ inline BlockWords words_of_block(const u8* labels, Index n) {
  const Index words = n / labels_per_word, threads = blockDim.x;
  const Index part = ceil_div(words, gridDim.x * threads) * threads;
  const Index begin = min(blockIdx.x * part, words), end = min(begin + part, words);
  const Index count = end - begin;
  return {reinterpret_cast<const u32*>(labels) + begin, count, count / threads, ceil_div(count, threads)};
}

/// bin(word) for this thread's words of `most` rounds from `first` on, or of those that there are.
template <class Bin>
__device__ __forceinline__ void bin_rounds(const BlockWords& words, Index first, Index most, const Bin& bin) {
  const Index end = min(first + most, words.rounds), full = min(end, words.full);
  Index i = first * blockDim.x + threadIdx.x;
  for (Index round = first; round < full; ++round, i += blockDim.x) bin(words.first[i]);
  if (full < end && i < words.count) bin(words.first[i]);
}

/// bin(label) for the labels past the last whole word, at most 3, by the first thread of the grid.
template <class Bin>
__device__ __forceinline__ void bin_last_labels(const u8* labels, Index n, const Bin& bin) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  for (Index i = n / labels_per_word * labels_per_word; i < n; ++i) bin(labels[i]);
}

/// `most` blocks, but none without a word for each of its threads; at least one.
inline Index blocks_with_words(Index n, int threads, Index most) {
  return std::max<Index>(1, std::min(most, ceil_div(n / labels_per_word, threads)));
}

/// Empty where labels are bytes.
template <class Op>
constexpr std::string_view needs_bytes() {
  return sizeof(typename Op::Value) == 1 ? "" : "reads four labels as one word: needs labels of type u8";
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
