// Persistent blocks: as many as the device holds at once, each with its share of the data-blocks (Martin
// 2012, III.B.1).
#pragma once

#include <algorithm>

#include "kernels/parts/matrix.hpp"
#include "kernels/parts/two_launches.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Consecutive data-blocks of one block: the quotient of all by the grid, one more for the first `remainder`
/// blocks.
struct Share {
  Index first, count;
};

REDBENCH_HOST_DEVICE constexpr Share share_of(Index data_blocks, Index block, Index blocks) {
  const Index quotient = data_blocks / blocks, remainder = data_blocks % blocks;
  return {block * quotient + (block < remainder ? block : remainder), quotient + (block < remainder)};
}

/// Two launches of a persistent kernel(in, n, out) over matrices, no more blocks than data-blocks.
template <class Op>
void launch_persistent(Queue& queue, const Reduce<Op>& x, int threads, int matrices,
                       void (*kernel)(const typename Op::Value*, Index, typename Op::Value*)) {
  const std::size_t shared_bytes = matrices * matrix_words * sizeof(typename Op::Value);
  const Index resident = persistent_blocks(queue, kernel, threads, shared_bytes);
  const Index data_blocks = ceil_div(x.n, matrix_tile);
  const Index blocks = std::max<Index>(1, std::min(data_blocks, resident));
  two_launches(
      queue, x,
      {.blocks = blocks, .threads = threads, .final_threads = threads, .shared_bytes = shared_bytes}, kernel,
      [](Index n, Index grid, int) { return ceil_div(ceil_div(n, matrix_tile), grid) + matrix_chain; });
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
