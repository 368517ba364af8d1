// The loop of a thread over the whole input, a grid apart (Luitjens 2014, "Reducing large arrays").
#pragma once

#include "kernels/parts/load_vector.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Reduction of the vectors i, i + threads, i + 2 threads, ... of `in`, for the thread's number i in the
/// grid, and of one of the values past the last whole vector. Four loads are under way at once: nvcc makes
/// the same of the paper's loop, but by its own choice.
template <class Op, int width>
__device__ typename Op::Value grid_stride_reduce(const typename Op::Value* in, Index n) {
  const Op op;
  const Index threads = Index(gridDim.x) * blockDim.x;
  const Index thread = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  const Index vectors = n / width;
  auto reduction = Op::identity();
#pragma unroll 4
  for (Index i = thread; i < vectors; i += threads) {
    const auto vector = load_vector<width>(in, i);
#pragma unroll
    for (int k = 0; k < width; ++k) reduction = op(reduction, vector.element[k]);
  }
  // A grid has at least a warp of threads, so each value of the tail finds one.
  static_assert(width <= warp_size);
  const Index tail = vectors * width + thread;
  if (tail < n) reduction = op(reduction, in[tail]);
  return reduction;
}

/// Longest chain of operations of a thread.
constexpr Index grid_stride_chain(Index n, int width, Index threads) {
  return ceil_div(n / width, threads) * width + (n % width != 0);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
