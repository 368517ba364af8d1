// The transposed fetch of Eilers 2014, Alg. 4.7: every thread of a block needs its own segment of the input
// in order, and neighbouring threads should read neighbouring words. So the block brings in `items` inputs of
// each of its segments at a time, through shared memory.
#pragma once

#include <algorithm>

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Thread t of block b has segment b * block + t, of `length` inputs, a multiple of `items`; past the last of
/// the `count` segments a thread has none.
struct ThreadSegments {
  Index length, count;
};

inline ThreadSegments thread_segments(Index n, Index most, Index items) {
  const Index length = items * std::max<Index>(1, ceil_div(n, items * most));
  return {length, ceil_div(n, length)};
}

/// Shared memory of a fetch: a word of padding for each segment keeps the threads that then go through their
/// own on different banks.
template <class T>
REDBENCH_HOST_DEVICE constexpr std::size_t fetch_bytes(Index block, Index items) {
  return std::size_t(block * (items + 1)) * (sizeof(T) > sizeof(u32) ? sizeof(T) : sizeof(u32));
}

/// Calls visit(place in shared memory, index of the input) for the next `items` inputs of every segment of
/// the block, neighbouring threads at neighbouring inputs. Those of thread t begin at place t * (items + 1).
template <int items, class Visit>
__device__ __forceinline__ void across_segments(Index first, Index length, Index n, const Visit& visit) {
  for (int i = threadIdx.x; i < items * int(blockDim.x); i += blockDim.x) {
    const int segment = i / items, item = i % items;
    const Index at = first + segment * length + item;
    if (at < n) visit(segment * (items + 1) + item, at);
  }
}

/// own[k] = this thread's k-th of the next `items` inputs of its segment, of which it has `count`. All
/// threads of the block call; `memory` has fetch_bytes and is free again after.
template <int items, class T>
__device__ __forceinline__ void fetch_own(const T* inputs, Index first, Index length, Index n, int count,
                                          T* memory, T (&own)[items]) {
  across_segments<items>(first, length, n, [&](int place, Index i) { memory[place] = inputs[i]; });
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; ++k)
    if (k < count) own[k] = memory[threadIdx.x * (items + 1) + k];
  __syncthreads();
}

/// Calls use(label, value) for each input of this thread's segment, in order. All threads of the block call;
/// `memory`, of fetch_bytes, is used up by each round and free after the last.
template <class T, int items, class Use>
__device__ __forceinline__ void each_of_segment(const u32* labels, const T* values, Index n, Index length,
                                                void* memory, const Use& use) {
  const Index segment = Index(blockIdx.x) * blockDim.x + threadIdx.x;

  for (Index step = 0; step < length; step += items) {
    const Index first = Index(blockIdx.x) * blockDim.x * length + step, left = n - (segment * length + step);
    const int mine = left < 0 ? 0 : left < items ? int(left) : items;

    u32 label[items];
    T value[items];
    fetch_own(labels, first, length, n, mine, static_cast<u32*>(memory), label);
    fetch_own(values, first, length, n, mine, static_cast<T*>(memory), value);
#pragma unroll
    for (int k = 0; k < items; ++k)
      if (k < mine) use(label[k], value[k]);
  }
}

/// The axis `items` of the variants that fetch so.
inline constexpr Index most_fetched = 32;

/// Items of a case, of which `bytes(items)` shared memory is asked for: as the parameter says, or, where it
/// is 0, the most that a block may have.
template <class Bytes>
Index fetched_items(const Queue& queue, const Bytes& bytes) {
  const Index asked = queue.parameter("items");
  if (asked % 8 != 0) queue.refuse("items is a multiple of 8, for whole sectors of 4-byte words (4.3.2)");
  if (asked > 0) return asked;
  Index items = most_fetched;
  while (items > 8 && bytes(items) > queue.device().shared_bytes_per_block) items -= 8;
  return items;
}

/// Calls run(std::integral_constant<int, items>) for items of 8, 16, 24 or 32.
template <class Run>
auto with_items(Index items, const Run& run) {
  switch (items) {
    case 8:
      return run(std::integral_constant<int, 8>{});
    case 16:
      return run(std::integral_constant<int, 16>{});
    case 24:
      return run(std::integral_constant<int, 24>{});
    default:
      return run(std::integral_constant<int, 32>{});
  }
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
