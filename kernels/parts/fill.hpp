// Sets device memory to one value, as a launch of its own: what a cudaMemset does for values that are not
// zero.
#pragma once

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

template <class T>
__global__ void fill_kernel(T* out, Index count, T value) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) out[i] = value;
}

/// out[0..count) = value. No launch where count is 0.
template <class T>
void fill(Queue& queue, T* out, Index count, T value) {
  constexpr int threads = 256;
  if (count == 0) return;
  launch(queue,
         {.blocks = ceil_div(count, threads),
          .threads = count < threads ? warp_size * int(ceil_div(count, warp_size)) : threads,
          .bytes_written = double(count) * sizeof(T)},
         fill_kernel<T>, out, count, value);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
