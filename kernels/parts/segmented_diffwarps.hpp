// Producers and a consumer over segments (Martin 2012, IV.B): the files segreduce/diffwarps* name a width
// each.
#pragma once

#include "kernels/parts/segmented_matrix.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

inline constexpr int segmented_producers = 8;  // warps, beside one consumer
inline constexpr int segmented_diffwarps_block = (1 + segmented_producers) * warp_size;

template <class Op, int width>
__global__ void __launch_bounds__(segmented_diffwarps_block)
    segmented_producers_and_consumer(const typename Op::Value* values, const u32* owners, Index n,
                                     typename Op::Value* output, Carries<typename Op::Value> carries) {
  using Matrix = SegmentedMatrix<typename Op::Value, width>;
  void* const memory = dynamic_shared<unsigned char>();
  const int t = threadIdx.x;
  const bool consumer = t < warp_size;
  const Share share = share_of(ceil_div(n, Matrix::tile), blockIdx.x, gridDim.x);
  RunningCarry<Op> carry{};

  // Round k: the producers bring data-block k into one pair of matrices while the consumer reduces data-block
  // k - 1 in the other; the barrier frees each for its next use. Lane 31 of the consumer then holds the carry
  // up to k - 1.
  for (Index k = 0; k <= share.count; ++k) {
    const Matrix loading = Matrix::at(memory, int(k % 2)), reducing = Matrix::at(memory, int((k + 1) % 2));
    if (consumer && k > 0) {
      reducing.template reduce<Op>(output, t);
      if (t == warp_size - 1) {
        if (k == 1) carry = {reducing.values[t], reducing.owners[t]};
        else carry.append(output, reducing.values[t], reducing.owners[t]);
      }
    }
    if (!consumer && k < share.count)
      loading.template load<Op, segmented_producers * warp_size>(
          values, owners, n, (share.first + k) * Matrix::tile, t - warp_size);
    __syncthreads();
  }

  if (t == warp_size - 1) hand_on(carries, output, carry.value, carry.owner);
}

template <int width, class Op>
void segmented_diffwarps_run(Queue& queue, const SegReduce<Op>& x) {
  launch_persistent_segmented<width>(queue, x, segmented_diffwarps_block, 2,
                                     segmented_producers_and_consumer<Op, width>);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
