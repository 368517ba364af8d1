// Aligned loads of several neighbouring values at once.
#pragma once

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// `width` values in one load of up to 16 bytes (several loads where they take more).
template <class T, int width>
struct alignas(sizeof(T) * width) Vector {
  T element[width];
};

/// Vector number i of `in`, which is aligned to a vector. Buffers of the harness are aligned to 256 bytes.
template <int width, class T, class Int>
__device__ __forceinline__ Vector<T, width> load_vector(const T* in, Int i) {
  static_assert((width & (width - 1)) == 0 && sizeof(T) * width <= 256,
                "a power of two, up to a buffer's alignment");
  return reinterpret_cast<const Vector<T, width>*>(in)[i];
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
