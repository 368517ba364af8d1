// A stable radix sort of the pairs that a block holds in its registers, and their exchange through shared
// memory: what Eilers 2014, 4.4.3 takes from CUB.
//
// Blocked: thread t holds pairs t * items, ..., t * items + items - 1 of the tile. A pass ranks four bits.
// Each thread counts its own items of each digit in 16 counters of 16 bits, two of them to a word: counter d
// of thread t is half d / 8 of word d % 8 * threads + t. A scan of the words in this order, with what all low
// halves hold put before the high ones, says where a thread's first item of each digit goes.
#pragma once

#include "kernels/parts/block_scan.hpp"
#include "kernels/parts/padded.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

inline constexpr int sort_digit_bits = 4, sort_counter_words = 8;

/// Shared memory that sorting and exchanging takes.
template <class T>
constexpr std::size_t block_sort_bytes(Index threads, Index items) {
  const std::size_t counters = std::size_t(threads) * sort_counter_words * sizeof(u32);
  const std::size_t exchange =
      std::size_t(padded(unsigned(threads * items))) * (sizeof(T) > sizeof(u32) ? sizeof(T) : sizeof(u32));
  return counters > exchange ? counters : exchange;
}

/// value[k] goes to place rank[k] of the tile, and `value` then holds what came to this thread's places. The
/// caller's barrier precedes; it ends with one.
template <class T, int items>
__device__ __forceinline__ void exchange(T (&value)[items], const int (&rank)[items], void* memory) {
  auto* const s = static_cast<T*>(memory);
#pragma unroll
  for (int k = 0; k < items; ++k) s[padded(rank[k])] = value[k];
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; ++k) value[k] = s[padded(threadIdx.x * items + k)];
  __syncthreads();
}

/// rank[k] = where label[k] comes in the tile by bits first_bit, ..., first_bit + bits - 1, stable. Ends with
/// a barrier.
template <int items>
__device__ __forceinline__ void rank_labels(const u32 (&label)[items], int first_bit, int bits,
                                            int (&rank)[items], void* memory) {
  auto* const words = static_cast<u32*>(memory);
  const int threads = blockDim.x, t = threadIdx.x;
  const u32 mask = (1u << bits) - 1;
  const auto word_of = [&](u32 digit) { return digit % sort_counter_words * threads + t; };
  const auto shift_of = [](u32 digit) { return 16 * (digit / sort_counter_words); };

  // rank[k] is how many of this thread's items before k have its digit.
#pragma unroll
  for (int w = 0; w < sort_counter_words; ++w) words[w * threads + t] = 0;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    const u32 digit = label[k] >> first_bit & mask;
    u32& word = words[word_of(digit)];
    rank[k] = int(word >> shift_of(digit) & 0xffffu);
    word += 1u << shift_of(digit);
  }
  __syncthreads();

  // Each thread scans as many neighbouring words; a half that overflows would be that of 2^16 items.
  u32 own[sort_counter_words], sum = 0, total = 0;
#pragma unroll
  for (int w = 0; w < sort_counter_words; ++w) {
    own[w] = words[t * sort_counter_words + w];
    sum += own[w];
  }
  u32 before = block_exclusive_scan<Sum<u32>>(sum, total);
  before += total << 16;
#pragma unroll
  for (int w = 0; w < sort_counter_words; ++w) {
    words[t * sort_counter_words + w] = before;
    before += own[w];
  }
  __syncthreads();

#pragma unroll
  for (int k = 0; k < items; ++k) {
    const u32 digit = label[k] >> first_bit & mask;
    rank[k] += int(words[word_of(digit)] >> shift_of(digit) & 0xffffu);
  }
  __syncthreads();
}

/// For Card::parameters. Pairs of a thread, its counters and their places are up to 140 registers, so a
/// multiprocessor has a few blocks, and none of 1024 threads.
inline constexpr Parameter sort_resident{
    "resident",
    0,
    0,
    1024,
    Step::multiple_of_warp,
    "registers are bounded for 768 or 1024 threads of a multiprocessor (spilled: README); 0: not up to 512"};

/// Calls run.operator()<items, resident>() for the parameters `items`, 4, 8 or 12, and `resident`.
template <class Run>
void with_items_and_resident(const Queue& queue, const Run& run) {
  const auto with_resident = [&]<int items>() {
    const Index block = queue.parameter("block"), asked = queue.parameter("resident");
    if (asked > 0 && block > asked) queue.refuse("a block has more threads than registers are bounded for");
    if (asked == 0 && block <= 512) return run.template operator()<items, 0>();
    if (asked == 768) return run.template operator()<items, 768>();
    if (asked == 0 || asked == 1024) return run.template operator()<items, 1024>();
    queue.refuse("resident is 0, 768 or 1024");
  };
  switch (queue.parameter("items")) {
    case 4:
      return with_resident.template operator()<4>();
    case 8:
      return with_resident.template operator()<8>();
    case 12:
      return with_resident.template operator()<12>();
    default:
      queue.refuse("items is 4, 8 or 12");
  }
}

/// Sorts the block's pairs by bits 0, ..., bits - 1 of their labels. All threads call, whole warps;
/// `memory`, of block_sort_bytes, is free afterwards.
template <class T, int items>
__device__ __forceinline__ void block_sort(u32 (&label)[items], T (&value)[items], int bits, void* memory) {
  for (int bit = 0; bit < bits; bit += sort_digit_bits) {
    int rank[items];
    rank_labels(label, bit, bits - bit < sort_digit_bits ? bits - bit : sort_digit_bits, rank, memory);
    exchange(label, rank, memory);
    exchange(value, rank, memory);
  }
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
