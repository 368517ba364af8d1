// The reductions by label of a GPU's part of the inputs, for variants that join those of several GPUs: in tables of
// shared memory while m fits there (privatized.cu), else by atomics in global memory (global_atomic.cu).
#pragma once

#include <algorithm>
#include <bit>

#include "kernels/gpus/tables.hpp"
#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/block_tables.hpp"
#include "kernels/parts/fill.hpp"
#include "kernels/parts/labelled_vectors.hpp"
#include "kernels/parts/private_buckets.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

template <class Op>
__global__ void __launch_bounds__(share_block.maximum, 1)
    share_in_tables(const u32* labels, const typename Op::Value* values, Index n, int columns,
                    BlockTables<typename Op::Value> tables, typename Op::Value* table) {
  using T = typename Op::Value;
  auto* const memory = dynamic_shared<T>();
  const Buckets<Op, shared_atomic<Op>> buckets(memory, tables.m, columns);
  buckets.clear();
  __syncthreads();
  for_each_labelled<share_loads>(
      labels, values, n,
      [&](const u32(&label)[4], const T(&value)[4]) {
        combine_row<Op, shared_atomic<Op>>(buckets, label, value);
      },
      [&](u32 label, T value) { buckets.combine(label, value); });
  join_tables<Op>(tables, [&](Index label) { return buckets.reduced(label); }, memory, table);
}

template <class Op>
__global__ void __launch_bounds__(share_block.maximum, 1)
    share_by_atomics(const u32* labels, const typename Op::Value* values, Index n,
                     typename Op::Value* table) {
  using T = typename Op::Value;
  const auto combine = [&](u32 label, T value) { atomic_combine<Op>(&table[label], value); };
  for_each_labelled<share_loads>(
      labels, values, n,
      [&](const u32(&label)[4], const T(&value)[4]) {
#pragma unroll
        for (int j = 0; j < 4; ++j) combine(label[j], value[j]);
      },
      combine);
}

/// Leaves the reduction of each label in `table`.
template <class Op>
void share_of_gpu(Queue& queue, const Multireduce<Op>& x, typename Op::Value* table) {
  using T = typename Op::Value;
  const Index most = Index(queue.device().shared_bytes_per_block), row = x.m * Index(sizeof(T));
  const Index threads = queue.parameter("block");
  const bool fits = row <= most;
  const Index columns = fits ? std::min<Index>(32, Index(std::bit_floor(std::uint64_t(most / row)))) : 0;
  const std::size_t shared =
      fits ? std::max(std::size_t(row * columns), BlockTables<T>::join_bytes(int(threads))) : 0;
  const Index resident = fits ? persistent_blocks(queue, share_in_tables<Op>, int(threads), shared)
                              : persistent_blocks(queue, share_by_atomics<Op>, int(threads), 0);
  // No block without a tile, and none with fewer inputs than labels, which it clears and joins.
  const Index least =
      fits ? std::max<Index>(inputs_per_tile<share_loads>, x.m) : inputs_per_tile<share_loads>;
  const Index blocks = std::clamp<Index>(x.n / least, 1, resident);
  const Grid grid{.blocks = blocks,
                  .threads = int(threads),
                  .shared_bytes = shared,
                  .cooperative = fits && blocks > 1,
                  .bytes_read = x.input_bytes(),
                  .bytes_written = x.result_bytes()};
  if (fits) {
    const auto tables = BlockTables<T>::scratch(queue, x.m, blocks);
    launch(queue, grid, share_in_tables<Op>, x.labels, x.values, x.n, int(columns), tables, table);
    return queue.chain(inputs_of_block<share_loads>(x.n, blocks, threads) / columns + 7 + columns + blocks +
                       32 + this_rank().count);
  }
  fill(queue, table, x.m, Op::identity());
  launch(queue, grid, share_by_atomics<Op>, x.labels, x.values, x.n, table);
  queue.chain(x.n + this_rank().count);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
