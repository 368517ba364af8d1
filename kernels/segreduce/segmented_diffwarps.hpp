// Producers and a consumer over segments (Martin 2012, IV.B): the files segreduce/diffwarps* name a width
// each.
#pragma once

#include "kernels/segreduce/segmented_matrix.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

inline constexpr int segmented_producers = 8;  // warps, beside one consumer
inline constexpr int segmented_diffwarps_block = (1 + segmented_producers) * warp_size;

template <class Op, int width>
__global__ void __launch_bounds__(segmented_diffwarps_block)
    segmented_producers_and_consumer(const typename Op::Value* values, const u32* owners, Index n,
                                     Shares shares, typename Op::Value* output,
                                     Carries<typename Op::Value> carries) {
  using Matrix = SegmentedMatrix<typename Op::Value, width>;
  constexpr int loaders = segmented_producers * warp_size;
  void* const memory = dynamic_shared<unsigned char>();
  Matrix loading = Matrix::at(memory, 0), reducing = Matrix::at(memory, 1);
  auto& carry = RunningCarry<Op>::at(memory, 2, Matrix::bytes);
  const unsigned t = threadIdx.x, producer = t - warp_size;
  const bool consumer = t < warp_size;
  const u32 count = shares.count();
  Index first = shares.first() * Matrix::tile;

  if (!consumer) loading.template load<Op, loaders>(values, owners, n, first, producer);
  __syncthreads();

  // Round k: the producers bring data-block k into one pair of matrices while the consumer reduces data-block
  // k - 1 in the other; the barrier frees each for its next use.
  for (u32 k = 1; k < count; ++k) {
    first += Matrix::tile;
    const Matrix filled = loading;
    loading = reducing;
    reducing = filled;
    if (consumer) append_matrix<Op>(reducing, output, t, carry, k == 1);
    else loading.template load<Op, loaders>(values, owners, n, first, producer);
    __syncthreads();
  }

  if (consumer) append_matrix<Op>(loading, output, t, carry, count == 1);
  if (t == warp_size - 1) hand_on(carries, output, carry.value, carry.owner);
}

template <int width, class Op>
void segmented_diffwarps_run(Queue& queue, const SegReduce<Op>& x) {
  launch_persistent_segmented<width>(queue, x, segmented_diffwarps_block, 2,
                                     segmented_producers_and_consumer<Op, width>);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
