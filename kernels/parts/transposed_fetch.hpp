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

/// Input i of the next `items` of every segment of the block, counted across them: neighbouring inputs are
/// neighbours here, too. Those of thread t are in shared memory from place t * (items + 1) on.
template <int items>
struct Fetched {
  __device__ __forceinline__ Fetched(int i, Index first, Index length)
      : place(i / items * (items + 1) + i % items), at(first + i / items * length + i % items) {}
  int place;  // in shared memory
  Index at;   // of the input
};

/// memory[place] = the next `items` inputs of every segment of the block: the loop of Alg. 4.7, with `loads`
/// of its rounds in flight together.
template <int items, int loads, class T>
__device__ __forceinline__ void fetch_across(const T* inputs, Index first, Index length, Index n, T* memory) {
  static_assert(items % loads == 0);
#pragma unroll 1
  for (int i = threadIdx.x; i < items * int(blockDim.x); i += loads * blockDim.x) {
    T value[loads];
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      const Index at = Fetched<items>(i + k * blockDim.x, first, length).at;
      value[k] = at < n ? inputs[at] : T{};
    }
    // Without the barrier nvcc stores some before it asks for the others.
    if constexpr (loads > 1) __syncwarp();
#pragma unroll
    for (int k = 0; k < loads; ++k)
      memory[Fetched<items>(i + k * blockDim.x, first, length).place] = value[k];
  }
}

/// own[k] = this thread's k-th of the next `items` inputs of its segment, of which it has `count`. All
/// threads of the block call; `memory` has fetch_bytes and is free again after.
template <int loads, int items, class T>
__device__ __forceinline__ void fetch_own(const T* inputs, Index first, Index length, Index n, int count,
                                          T* memory, T (&own)[items]) {
  fetch_across<items, loads>(inputs, first, length, n, memory);
  __syncthreads();
#pragma unroll
  for (int k = 0; k < items; ++k)
    if (k < count) own[k] = memory[threadIdx.x * (items + 1) + k];
  __syncthreads();
}

/// Calls use(label, value) for each input of this thread's segment, in order. All threads of the block call;
/// `memory`, of fetch_bytes, is used up by each round and free after the last.
template <class T, int items, int loads, class Use>
__device__ __forceinline__ void each_of_segment(const u32* labels, const T* values, Index n, Index length,
                                                void* memory, const Use& use) {
  const Index segment = Index(blockIdx.x) * blockDim.x + threadIdx.x;

  for (Index step = 0; step < length; step += items) {
    const Index first = Index(blockIdx.x) * blockDim.x * length + step, left = n - (segment * length + step);
    const int mine = left < 0 ? 0 : left < items ? int(left) : items;

    u32 label[items];
    T value[items];
    fetch_own<loads>(labels, first, length, n, mine, static_cast<u32*>(memory), label);
    fetch_own<loads>(values, first, length, n, mine, static_cast<T*>(memory), value);
#pragma unroll
    for (int k = 0; k < items; ++k)
      if (k < mine) use(label[k], value[k]);
  }
}

/// The most for the parameter `items` of the variants that fetch so: their inputs are in registers.
inline constexpr Index most_fetched = 32;

inline constexpr Parameter fetched_loads{
    "loads",
    8,
    1,
    8,
    Step::power_of_two,
    "1, 4 or 8, not printed: more items fetch more at once (4.3.5), and the compiler unrolls (4.3.6), so "
    "8, the fewest items; 1 is the loop of Alg. 4.7 as printed, which waits for each load"};

/// Items of a case, of which `bytes(items)` shared memory is asked for: as the parameter says, or, where it
/// is 0, the most that a block may have, up to most_fetched.
template <class Bytes>
Index fetched_items(const Queue& queue, const Bytes& bytes) {
  const Index asked = queue.parameter("items");
  if (asked % 8 != 0) queue.refuse("items is a multiple of 8, for whole sectors of 4-byte words (4.3.2)");
  if (asked > 0) return asked;
  Index items = most_fetched;
  while (items > 8 && bytes(items) > queue.device().shared_bytes_per_block) items -= 8;
  return items;
}

/// Calls run(std::integral_constant<int, items>, std::integral_constant<int, loads>) for items of 8, 16, 24 or
/// 32, and loads of the parameter.
template <class Run>
void with_fetch(const Queue& queue, Index items, const Run& run) {
  const auto with_items = [&](auto loads) {
    switch (items) {
      case 8:
        return run(std::integral_constant<int, 8>{}, loads);
      case 16:
        return run(std::integral_constant<int, 16>{}, loads);
      case 24:
        return run(std::integral_constant<int, 24>{}, loads);
      default:
        return run(std::integral_constant<int, 32>{}, loads);
    }
  };
  switch (queue.parameter("loads")) {
    case 1:
      return with_items(std::integral_constant<int, 1>{});
    case 4:
      return with_items(std::integral_constant<int, 4>{});
    case 8:
      return with_items(std::integral_constant<int, 8>{});
    default:
      queue.refuse("loads is 1, 4 or 8");
  }
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
