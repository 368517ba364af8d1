// Sets device memory to one value, as a launch of its own: what a cudaMemset does for values that are not
// zero.
#pragma once

#include <algorithm>

#include "kernels/parts/load_vector.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Stores of 16 bytes, a grid apart, and one value by a thread for what is past the last whole vector.
template <class T>
__global__ void fill_kernel(T* out, Index count, T value) {
  static_assert(16 % sizeof(T) == 0);
  constexpr int width = 16 / sizeof(T);
  Vector<T, width> vector;
  for (T& element : vector.element) element = value;
  const Index thread = Index(blockIdx.x) * blockDim.x + threadIdx.x, threads = Index(gridDim.x) * blockDim.x;
#pragma unroll 1
  for (Index i = thread; i < count / width; i += threads)
    reinterpret_cast<Vector<T, width>*>(out)[i] = vector;
  const Index tail = count / width * width + thread;
  if (tail < count) out[tail] = value;
}

/// out[0..count) = value, `out` aligned to 16 bytes, as buffers of the harness are. No launch where count is
/// 0. The grid is at most what the device holds at once: blocks that store a little and end are limited by the
/// rate at which others start (1.7 in a ns on an H200, kernels/multireduce/README.md).
template <class T>
void fill(Queue& queue, T* out, Index count, T value) {
  constexpr int most_threads = 256;
  if (count == 0) return;
  const Index vectors = ceil_div(count * Index(sizeof(T)), 16);
  const int threads = int(std::min<Index>(most_threads, warp_size * ceil_div(vectors, warp_size)));
  launch(queue,
         {.blocks =
              std::min(ceil_div(vectors, threads), persistent_blocks(queue, fill_kernel<T>, most_threads, 0)),
          .threads = threads,
          .bytes_written = double(count) * sizeof(T)},
         fill_kernel<T>, out, count, value);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
