// Values that know their place in the input: what sorting makes of a multiscan (Eilers 2014, 5.5).
#pragma once

#include <cstring>

#include "kernels/parts/device_sort.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// A value of 4 bytes and its index are one word, which one access moves; beside one of 8 bytes the index has
/// 8, so that there is no padding.
template <class T, std::size_t bytes = sizeof(T)>
struct IndexedValue {
  static_assert(bytes == sizeof(u32));
  static __device__ IndexedValue of(Index index, T value) {
    u32 high;
    memcpy(&high, &value, sizeof(high));
    return {u64(high) << 32 | u32(index)};
  }
  __device__ Index index() const { return Index(u32(word)); }
  __device__ T value() const {
    const u32 high = u32(word >> 32);
    T value;
    memcpy(&value, &high, sizeof(high));
    return value;
  }
  u64 word;
};

template <class T>
struct alignas(2 * sizeof(u64)) IndexedValue<T, sizeof(u64)> {
  static __device__ IndexedValue of(Index index, T value) { return {u64(index), value}; }
  __device__ Index index() const { return Index(first); }
  __device__ T value() const { return second; }
  u64 first;
  T second;
};

/// The pairs in the order of the lowest `bits` bits of their labels, stable: the input itself where there are
/// none.
template <class T>
LabelledValues<IndexedValue<T>> sort_indexed(Queue& queue, LabelledValues<IndexedValue<T>> in, Index n,
                                             int bits) {
#if defined(__CUDACC__)
  // CUB's instance for 16 bytes; the one for 8 is that of stable_sort for values of 8 bytes.
  if constexpr (sizeof(IndexedValue<T>) == sizeof(ulonglong2)) {
    if (n == 0 || bits == 0) return in;
    u32* const labels = queue.scratch<u32>(n);
    auto* const values = queue.scratch<IndexedValue<T>>(n);
    queue.library([=](void* temporary, std::size_t& bytes, void* stream) {
      return int(::cub::DeviceRadixSort::SortPairs(
          temporary, bytes, in.labels, labels, reinterpret_cast<const ulonglong2*>(in.values),
          reinterpret_cast<ulonglong2*>(values), n, 0, bits, static_cast<cudaStream_t>(stream)));
    });
    return {labels, values};
  } else
#endif
    return stable_sort(queue, in, n, 0, bits);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
