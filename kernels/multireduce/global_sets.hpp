// A few sets of buckets in global memory for all threads (Eilers 2014, Alg. 4.9): what
// multireduce/global_sets runs on the input, and global_sets_presorted on the partly sorted input.
#pragma once

#include "kernels/multireduce/bucket_sets.hpp"
#include "kernels/parts/atomic_combine.hpp"
#include "kernels/parts/contiguous_parts.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// A thread's set is its number in the block mod sets, so that neighbouring threads meet as little as
/// possible.
template <class Op>
__global__ void global_sets_kernel(const u32* labels, const typename Op::Value* values, Index n, Index length,
                                   int sets, typename Op::Value* buckets) {
  const u32* const block_labels = labels + Index(blockIdx.x) * length;
  const auto* const block_values = values + Index(blockIdx.x) * length;
  auto* const own = buckets + int(threadIdx.x) % sets;
  const int inputs = part_inputs(n, length);
  for (int i = threadIdx.x; i < inputs; i += blockDim.x)
    atomic_combine<Op>(&own[Index(block_labels[i]) * sets], block_values[i]);
}

inline constexpr Index most_sets = 32;

/// Parameters `sets`, `block` and `per_sm`.
template <class Op>
void global_sets_run(Queue& queue, const u32* labels, const typename Op::Value* values, Index n, Index m,
                     typename Op::Value* result) {
  using T = typename Op::Value;
  const Index block = queue.parameter("block"), count = queue.parameter("sets");
  const Parts parts = contiguous_parts(queue, n, parts_wanted(queue), block);
  const auto sets = BucketSets<Op>::cleared(queue, m, count, result);
  if (n > 0)
    launch(queue,
           {.blocks = parts.blocks,
            .threads = int(block),
            .bytes_read = double(n) * (sizeof(u32) + 2 * sizeof(T)),
            .bytes_written = double(n) * sizeof(T)},
           global_sets_kernel<Op>, labels, values, n, parts.length, int(count), sets.buckets);
  sets.reduce(queue);
  queue.chain(parts.blocks * (parts.length / count) + sets.chain());
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
