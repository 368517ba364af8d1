#include "kernels/histogram/partial_counts.hpp"

namespace redbench {
namespace {

constexpr int block = warp_size;
using Count = unsigned short;
/// Words that a thread may bin before a count of 16 bits could be full: 65 532 labels, and three past the
/// last whole word.
constexpr Index most_words = 65535 / labels_per_word;
static_assert(most_words * labels_per_word + labels_per_word - 1 <= 65535);

/// Where thread t counts a label, in units of 16 bits: two neighbouring bins lie in one word, and all words
/// of a thread in one bank.
__device__ __forceinline__ int address_of(u32 label, int t) {
  return 2 * (t + block * int(label / 2)) + int(label % 2);
}

__device__ __forceinline__ void bin_word(Count* counts, u32 word, int t) {
#pragma unroll
  for (int j = 0; j < labels_per_word; ++j) ++counts[address_of(label_of(word, j), t)];
}

__global__ void __launch_bounds__(block)
    count_by_banks(const u8* labels, Index n, u32* partial, int staggered) {
  auto* const counts = dynamic_shared<Count>();
  const int t = threadIdx.x;
  for (int label = 0; label < byte_bins; ++label) counts[address_of(label, t)] = 0;
  bin_last_labels(labels, n, [=](u32 label) { ++counts[address_of(label, t)]; });

  // sums[k] holds bin t + 32 k of the words so far, of all threads.
  constexpr int bins_of_thread = byte_bins / block;
  u32 sums[bins_of_thread] = {};
  const BlockWords words = words_of_block(labels, n);
  Index first = 0;
  do {
    bin_rounds(words, first, most_words, [=](u32 word) { bin_word(counts, word, t); });
    first += most_words;
    __syncthreads();

#pragma unroll
    for (int k = 0; k < bins_of_thread; ++k) {
      const int start = staggered ? t : 0;
      for (int j = 0; j < block; ++j) sums[k] += counts[address_of(t + block * k, (start + j) % block)];
    }
    __syncthreads();
    if (first < words.rounds)
      for (int label = 0; label < byte_bins; ++label) counts[address_of(label, t)] = 0;
  } while (first < words.rounds);

#pragma unroll
  for (int k = 0; k < bins_of_thread; ++k) partial[Index(blockIdx.x) * byte_bins + t + block * k] = sums[k];
}

/// Deviations: the sum and clearing of the bins every 16 383 words, as degenerate labels would fill 16 bits
/// (the printed kernel has one sum at its end, which is all that there is below that); a part of rounded-up
/// length for each block, cut at the end; the address of the last loop, whose printed form is no place of the
/// bin.
struct nugteren_bank {
  static constexpr Card card{
      .title = "a histogram of 16-bit bins per thread in a bank of its own, one warp per block",
      .source = "Eilers 2014, 4.3.1, Algorithm 4.2; Nugteren et al. 2011",
      .order = Order::commutative,
      .maximum_m = byte_bins,
      .parameters = {
          {blocks_as_printed,
           {"staggered", 0, 0, 1, Step::one,
            "0: the final sum as printed, all lanes on one bank; 1: each begins on its own bank"}}}};

  template <class Op>
  static constexpr std::string_view refuses() {
    return needs_bytes<Op>();
  }
  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    count_by_blocks(queue, x, block, sizeof(Count) * byte_bins * block, count_by_banks,
                    int(queue.parameter("staggered")));
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, nugteren_bank)
}  // namespace redbench
