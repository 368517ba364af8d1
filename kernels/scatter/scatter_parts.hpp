// The plain scatter of Eilers 2014, 3.2.2: what scatter/naive runs on the input, and scatter/presorted on the
// partly sorted input.
#pragma once

#include "kernels/parts/contiguous_parts.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// A contiguous part of the input for each block, its threads a block apart.
template <class T>
__global__ void scatter_part(const u32* labels, const T* values, Index n, Index length, T* result) {
  const u32* const block_labels = labels + Index(blockIdx.x) * length;
  const T* const block_values = values + Index(blockIdx.x) * length;
  const int inputs = part_inputs(n, length);
  for (int i = threadIdx.x; i < inputs; i += blockDim.x)
    relaxed_store(&result[block_labels[i]], block_values[i]);
}

/// n > 0. Parameters `block` and `per_sm`. A label without a value keeps what its result holds.
template <class T>
void scatter_parts(Queue& queue, const u32* labels, const T* values, Index n, T* result) {
  const Index block = queue.parameter("block");
  const Parts parts = contiguous_parts(queue, n, parts_wanted(queue), block);
  launch(queue,
         {.blocks = parts.blocks,
          .threads = int(block),
          .bytes_read = double(n) * (sizeof(u32) + sizeof(T)),
          .bytes_written = double(n) * sizeof(T)},
         scatter_part<T>, labels, values, n, parts.length, result);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
