// Persistent blocks: as many as the device holds at once, each with its share of the data-blocks (Martin
// 2012, III.B.1).
#pragma once

#include <algorithm>

#include "kernels/parts/matrix.hpp"
#include "kernels/reduce/problem.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Data-blocks of each block of a grid: the quotient of all by the grid, one more for the first `remainder`
/// blocks. The host divides, the kernel has both as arguments.
struct Shares {
  u32 quotient, remainder;

  Shares(Index data_blocks, Index blocks)
      : quotient(u32(data_blocks / blocks)), remainder(u32(data_blocks % blocks)) {}
  __device__ u32 count() const { return quotient + (blockIdx.x < remainder); }
  /// Number of the block's first data-block; the others follow it.
  __device__ Index first() const {
    return Index(blockIdx.x) * quotient + (blockIdx.x < remainder ? blockIdx.x : remainder);
  }
};

template <class T>
using PersistentKernel = void(const T*, Index n, Shares, T* out);

/// Two launches of a persistent kernel with `matrices` matrices and a value in shared memory, of no more
/// blocks than data-blocks: the second reduces the results of the first's blocks.
template <class Op>
void launch_persistent(Queue& queue, const Reduce<Op>& x, int threads, int matrices,
                       PersistentKernel<typename Op::Value>* kernel) {
  using T = typename Op::Value;
  const std::size_t shared_bytes = (matrices * matrix_words + 1) * sizeof(T);
  const Index resident = persistent_blocks(queue, kernel, threads, shared_bytes);
  const Index blocks = std::max<Index>(1, std::min(ceil_div(x.n, matrix_tile), resident));
  T* const partial = queue.scratch<T>(blocks > 1 ? blocks : 0);
  const auto reduce = [&](const T* in, Index n, Index grid, T* out) {
    const Index data_blocks = ceil_div(n, matrix_tile);
    launch(queue,
           {.blocks = grid,
            .threads = threads,
            .shared_bytes = shared_bytes,
            .bytes_read = double(n) * sizeof(T),
            .bytes_written = double(grid) * sizeof(T)},
           kernel, in, n, Shares(data_blocks, grid), out);
    return ceil_div(data_blocks, grid) + matrix_chain(matrix_width);
  };
  Index length = reduce(x.values, x.n, blocks, blocks > 1 ? partial : x.result);
  if (blocks > 1) length += reduce(partial, blocks, 1, x.result);
  queue.chain(length);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
