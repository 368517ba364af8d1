// The counts of a GPU's part of the labels, for variants that join those of several GPUs: in tables of shared memory while
// m fits there (privatized.cu), else by atomics in global memory (global_atomic.cu).
#pragma once

#include "kernels/gpus/tables.hpp"
#include "kernels/histogram/join_tables.hpp"
#include "kernels/histogram/label_vectors.hpp"
#include "kernels/parts/fill.hpp"
#include "kernels/parts/private_buckets.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

template <class Label>
__global__ void __launch_bounds__(share_block.maximum, 1)
    count_in_tables(const Label* labels, Index n, Index m, int columns, u32* counts) {
  const Buckets<Sum<u32>, Update::atomic> buckets(dynamic_shared<u32>(), m, columns);
  buckets.clear();
  clear_result(counts, m);
  __syncthreads();
  // As privatized's: one multiply-add finds the counter.
  auto* const column = reinterpret_cast<unsigned char*>(buckets.memory + buckets.column);
  const u32 row_bytes = columns * sizeof(u32);
  for_each_label<share_loads>(
      labels, n, [=](u32 label) { atomicAdd(reinterpret_cast<u32*>(column + label * row_bytes), 1u); });
  __syncthreads();
  join_tables(m, [&](Index label) { return buckets.reduced(label); }, counts);
}

template <class Label>
__global__ void __launch_bounds__(share_block.maximum, 1)
    count_by_atomics(const Label* labels, Index n, u32* counts) {
  for_each_label<share_loads>(labels, n, [&](u32 label) { atomicAdd(&counts[label], 1u); });
}

/// Leaves the count of each label in `counts`.
template <class Op>
void share_of_gpu(Queue& queue, const Histogram<Op>& x, u32* counts) {
  using Label = typename Op::Value;
  const int threads = int(queue.parameter("block")), columns = sizeof(Label) == 1 ? 32 : 1;  // as privatized
  const std::size_t shared = table_bytes(x.m * columns);
  Grid grid{.threads = threads, .bytes_read = x.input_bytes(), .bytes_written = x.result_bytes()};
  const auto blocks = [&](auto kernel) {
    return blocks_with_tiles<Label, share_loads>(queue, x.n, kernel, threads, grid.shared_bytes);
  };
  if (shared <= queue.device().shared_bytes_per_block) {
    grid.shared_bytes = shared;
    grid.cooperative = true;
    grid.blocks = blocks(count_in_tables<Label>);
    return launch(queue, grid, count_in_tables<Label>, x.labels, x.n, x.m, columns, counts);
  }
  fill(queue, counts, x.m, 0u);
  grid.blocks = blocks(count_by_atomics<Label>);
  launch(queue, grid, count_by_atomics<Label>, x.labels, x.n, counts);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
