// From the compact list of a reduction by key, one entry per key that occurs, to one result per segment.
#pragma once

#include "kernels/parts/chains.hpp"
#include "kernels/parts/fill.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// A library's output: `count` keys in order, at most `most`, each with its reduction.
template <class T>
struct Runs {
  u32* owners;
  T* values;
  Index* count;
  Index most;
};

template <class T>
Runs<T> runs_scratch(Queue& queue, Index most) {
  return {queue.scratch<u32>(most), queue.scratch<T>(most), queue.scratch<Index>(1), most};
}

template <class T>
__global__ void scatter_kernel(Runs<T> runs, T* out) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < *runs.count) out[runs.owners[i]] = runs.values[i];
}

/// result[owner] = value for each run, the identity where one of the m owners has none.
template <class Op>
void scatter_runs(Queue& queue, const Runs<typename Op::Value>& runs, typename Op::Value* result, Index m) {
  constexpr int threads = 256;
  constexpr double pair_bytes = sizeof(typename Op::Value) + sizeof(u32);
  fill(queue, result, m, Op::identity());
  if (runs.most == 0) return;
  launch(queue,
         {.blocks = ceil_div(runs.most, threads),
          .threads = threads,
          .bytes_read = double(runs.most) * pair_bytes,
          .bytes_written = double(runs.most) * sizeof(typename Op::Value)},
         scatter_kernel<typename Op::Value>, runs, result);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
