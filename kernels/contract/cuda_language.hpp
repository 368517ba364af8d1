// The names of variant.hpp that are not CUDA's own, on a GPU. simt_language.hpp gives the same on the
// modelled device.
#pragma once

#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <type_traits>

#include "kernels/types.hpp"

namespace redbench {
inline namespace on_cuda {

inline constexpr int warp_size = 32;
inline constexpr unsigned full_mask = 0xffffffffu;

/// The block's dynamic shared memory, 16-byte aligned; its size is Grid::shared_bytes.
template <class T>
__device__ __forceinline__ T* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char redbench_dynamic_shared[];
  return reinterpret_cast<T*>(redbench_dynamic_shared);
}

namespace detail {
/// Applies a 32-bit exchange to each word of a plain value; two bytes go as half a word.
template <class T, class Exchange>
__device__ __forceinline__ T exchange_words(T value, Exchange exchange) {
  static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) % 4 == 0 || sizeof(T) == 2),
                "a plain type of whole words, or of half a word");
  constexpr int words = (sizeof(T) + 3) / 4;
  unsigned word[words]{};
  memcpy(word, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < words; ++i) word[i] = exchange(word[i]);
  memcpy(&value, word, sizeof(T));
  return value;
}
}  // namespace detail

/// Warp shuffles for any plain type of 2 bytes or of whole 4-byte words; as CUDA's, all lanes of `mask` call
/// together.
template <class T>
__device__ __forceinline__ T shuffle_down(unsigned mask, T value, int delta, int width = warp_size) {
  return detail::exchange_words(value, [=](unsigned w) { return __shfl_down_sync(mask, w, delta, width); });
}
template <class T>
__device__ __forceinline__ T shuffle_up(unsigned mask, T value, int delta, int width = warp_size) {
  return detail::exchange_words(value, [=](unsigned w) { return __shfl_up_sync(mask, w, delta, width); });
}
template <class T>
__device__ __forceinline__ T shuffle_xor(unsigned mask, T value, int lane_mask, int width = warp_size) {
  return detail::exchange_words(value,
                                [=](unsigned w) { return __shfl_xor_sync(mask, w, lane_mask, width); });
}
template <class T>
__device__ __forceinline__ T shuffle(unsigned mask, T value, int lane, int width = warp_size) {
  return detail::exchange_words(value, [=](unsigned w) { return __shfl_sync(mask, w, lane, width); });
}

/// A relaxed store: several lanes may store to the same word at once, and one of the values stays. (PTX:
/// volatile stores are relaxed, and do not race.)
template <class T>
__device__ __forceinline__ void relaxed_store(T* address, std::type_identity_t<T> value) {
  *const_cast<volatile T*>(address) = value;
}

/// Named barrier `id` (1 to 15) over `threads` threads of the block, a multiple of 32: sync waits, arrive
/// does not.
__device__ __forceinline__ void named_barrier_sync(int id, int threads) {
  asm volatile("barrier.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}
__device__ __forceinline__ void named_barrier_arrive(int id, int threads) {
  asm volatile("barrier.arrive %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

/// Barrier over all blocks of a cooperative launch.
__device__ __forceinline__ void grid_sync() { cooperative_groups::this_grid().sync(); }

}  // namespace on_cuda
}  // namespace redbench
