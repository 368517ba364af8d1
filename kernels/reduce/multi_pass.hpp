// Multi-pass reduction: each block reduces a tile to one value, and the values are reduced again until one
// remains (Martin 2012, III.A; Sizmann 2023, 2.3.3).
#pragma once

#include "kernels/parts/chains.hpp"
#include "kernels/reduce/problem.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

struct Pass {
  Index tile;   // inputs per block
  int threads;  // per block
  std::size_t shared_bytes = 0;
  Index chain = 0;  // longest chain of operations within a block; 0: a binary tree over the tile
};

/// Launches kernel(in, n, out) with ceil(n / tile) blocks, at least one, until one value remains. Block b
/// writes the reduction of its tile to out[b].
template <class Op, class Kernel>
void multi_pass(Queue& queue, const Reduce<Op>& x, const Pass& pass, Kernel* kernel) {
  using T = typename Op::Value;
  const auto blocks_for = [&](Index n) { return n <= pass.tile ? Index(1) : ceil_div(n, pass.tile); };
  const Index chain = pass.chain ? pass.chain : tree_chain(pass.tile) + 1;

  T* const even = queue.scratch<T>(blocks_for(x.n));
  T* const odd = queue.scratch<T>(blocks_for(blocks_for(x.n)));

  const T* in = x.values;
  Index n = x.n, length = 0;
  for (int number = 0;; ++number) {
    const Index blocks = blocks_for(n);
    T* const out = blocks == 1 ? x.result : number % 2 ? odd : even;
    launch(queue,
           {.blocks = blocks,
            .threads = pass.threads,
            .shared_bytes = pass.shared_bytes,
            .bytes_read = double(n) * sizeof(T),
            .bytes_written = double(blocks) * sizeof(T)},
           kernel, in, n, out);
    length += chain;
    if (blocks == 1) break;
    in = out;
    n = blocks;
  }
  queue.chain(length);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
