// How the block that starts last finishes a reduction: it waits for the results of the others, which carry a
// flag in the same word, so that neither a fence nor a ticket comes between a result and its reader (the
// status words of decoupled look-back, Merrill and Garland 2016). All others have started by then and wait for
// nobody, so it waits for no block that has no multiprocessor to run on.
#pragma once

#include "kernels/reduce/one_launch.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

using FlaggedWord = unsigned long long;  // four bytes of a value, and above them 1 once they are there

template <class T>
inline constexpr int words_of = (int(sizeof(T)) + 3) / 4;

inline constexpr MostBlocks waiting_block_most{Index(1) << 13, 2};
inline constexpr int most_words_of_value = 4;

/// What launches hand on to each other: all zero when the program is loaded, and after each launch. Launches
/// that use the same one must follow each other, as those of one stream do.
struct WaitingState {
  unsigned started;
  FlaggedWord results[waiting_block_most.blocks * most_words_of_value];
};

/// The block's number in the order in which thread 0 of each block calls. It wraps around to zero by itself.
__device__ __forceinline__ unsigned start_number(WaitingState& state) {
  return threadIdx.x == 0 ? atomicInc(&state.started, gridDim.x - 1) : 0;
}

template <class T>
__device__ __forceinline__ void store_flagged(FlaggedWord* to, T value) {
  constexpr int words = words_of<T>;
  u32 word[words]{};
  memcpy(word, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < words; ++i) relaxed_store(to + i, FlaggedWord(1) << 32 | word[i]);
}

/// Waits for the values from `from` on, `count` of at most `most`, takes them and clears their words; but for
/// value `own`, which stays.
template <int most, class T>
__device__ __forceinline__ void take_flagged(FlaggedWord* from, int count, int own, T (&value)[most]) {
  constexpr int words = words_of<T>;
  FlaggedWord word[most * words];
  // All loads are on their way before one is waited for.
#pragma unroll
  for (int i = 0; i < most * words; ++i)
    word[i] = i < count * words ? *static_cast<volatile FlaggedWord*>(from + i) : 0;
#pragma unroll
  for (int k = 0; k < most; ++k) {
    if (k >= count || k == own) continue;
    u32 bytes[words];
#pragma unroll
    for (int i = 0; i < words; ++i) {
      FlaggedWord taken = word[k * words + i];
      while (taken >> 32 == 0) {
        __nanosleep(20);
        taken = *static_cast<volatile FlaggedWord*>(from + k * words + i);
      }
      from[k * words + i] = 0;
      bytes[i] = u32(taken);
    }
    memcpy(&value[k], bytes, sizeof(T));
  }
}

/// Thread 0 returns the reduction of the results of all blocks in order, of which `own` is this block's. All
/// threads of the block call. A thread has neighbouring ones.
template <class Op>
__device__ __forceinline__ typename Op::Value reduce_flagged(FlaggedWord* results, typename Op::Value own) {
  using T = typename Op::Value;
  constexpr int at_once = 16 / int(sizeof(T)) < 4 ? 16 / int(sizeof(T)) : 4;
  const unsigned each = (gridDim.x + blockDim.x - 1) / blockDim.x, begin = threadIdx.x * each;
  const unsigned end = begin + each < gridDim.x ? begin + each : gridDim.x;
  auto reduction = Op::identity();
#pragma unroll 1
  for (unsigned first = begin; first < end; first += at_once) {
    const int count = end - first < at_once ? int(end - first) : at_once;
    T value[at_once];
    for (T& element : value) element = own;
    take_flagged(results + first * words_of<T>, count, int(blockIdx.x - first), value);
#pragma unroll
    for (int k = 0; k < at_once; ++k)
      if (k < count) reduction = Op()(reduction, value[k]);
  }
  return block_total<Op>(reduction);
}

/// Writes the result, in the block that started last. Thread 0 of each block brings the block's reduction and
/// its start number.
template <class Op>
__device__ __forceinline__ void finish_in_waiting_block(typename Accumulator<Op>::Value value,
                                                        unsigned number, WaitingState& state,
                                                        typename Op::Result* result) {
  using T = typename Accumulator<Op>::Value;
  __shared__ bool waits;
  __shared__ T own;
  if (gridDim.x > 1) {
    if (threadIdx.x == 0) {
      waits = number == gridDim.x - 1;
      if (waits) own = value;
      else store_flagged(state.results + blockIdx.x * words_of<T>, value);
    }
    __syncthreads();
    if (!waits) return;
    value = reduce_flagged<Accumulator<Op>>(state.results, own);
  }
  if (threadIdx.x == 0) *result = typename Op::Result(value);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
