// Values that know their place in the input: what sorting makes of a multiscan (Eilers 2014, 5.5).
#pragma once

#include "kernels/parts/device_sort.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// One access moves both: the index is of the value's size, so that there is no padding.
template <class T>
struct alignas(2 * sizeof(T)) IndexedValue {
  std::conditional_t<sizeof(T) == sizeof(u32), u32, u64> index;
  T value;
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
