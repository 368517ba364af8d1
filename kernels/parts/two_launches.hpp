// Reduction in two launches: a grid that leaves one value per block, then one block over those values (Martin
// 2012, III.B.1; Luitjens 2014, "Reducing large arrays").
#pragma once

#include "kernels/reduce/problem.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

struct TwoLaunches {
  Index blocks;       // of the first launch, at least 1
  int threads;        // per block
  int final_threads;  // of the second launch's block
  std::size_t shared_bytes = 0;
};

/// Launches kernel(in, n, out), whose block b leaves the reduction of its share of the input in out[b]; a
/// first launch of one block needs no second. `chain(n, blocks, threads)` is the longest chain of operations
/// in a launch.
template <class Op, class Kernel, class Chain>
void two_launches(Queue& queue, const Reduce<Op>& x, const TwoLaunches& shape, Kernel* kernel, Chain chain) {
  using T = typename Op::Value;
  T* const partial = queue.scratch<T>(shape.blocks > 1 ? shape.blocks : 0);
  const auto reduce = [&](const T* in, Index n, T* out, Index blocks, int threads) {
    launch(queue,
           {.blocks = blocks,
            .threads = threads,
            .shared_bytes = shape.shared_bytes,
            .bytes_read = double(n) * sizeof(T),
            .bytes_written = double(blocks) * sizeof(T)},
           kernel, in, n, out);
    return chain(n, blocks, threads);
  };

  Index length;
  if (shape.blocks == 1) {
    length = reduce(x.values, x.n, x.result, 1, shape.threads);
  } else {
    length = reduce(x.values, x.n, partial, shape.blocks, shape.threads);
    length += reduce(partial, shape.blocks, x.result, 1, shape.final_threads);
  }
  queue.chain(length);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
