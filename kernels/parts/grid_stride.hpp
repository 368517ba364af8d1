// The loop of a thread over the whole input, a grid apart (Luitjens 2014, "Reducing large arrays"), and the
// same with more loads under way.
#pragma once

#include <limits>
#include <string>

#include "kernels/parts/chains.hpp"
#include "kernels/parts/load_vector.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// The values of a vector, neighbours first.
template <class Op, int width>
__device__ __forceinline__ typename Op::Value reduce_vector(const typename Op::Value* element) {
  if constexpr (width == 1) return element[0];
  else return Op()(reduce_vector<Op, width / 2>(element), reduce_vector<Op, width / 2>(element + width / 2));
}

/// Reduction of the vectors i, i + threads, i + 2 threads, ... of `in`, for the thread's number i in the
/// grid, and of one of the values past the last whole vector. Int is the loop's own type, the paper's `int`
/// or one that numbers more; how many loads are under way is left to the compiler.
template <class Op, int width, class Int>
__device__ typename Op::Value grid_stride_reduce(const typename Op::Value* in, Int n) {
  const Op op;
  const Int thread = blockIdx.x * blockDim.x + threadIdx.x;
  auto reduction = Op::identity();
  for (Int i = thread; i < n / width; i += blockDim.x * gridDim.x) {
    const auto vector = load_vector<width>(in, i);
    reduction = op(reduction, reduce_vector<Op, width>(vector.element));
  }
  if constexpr (width > 1) {
    // A grid has at least a warp of threads, so each value of the tail finds one.
    static_assert(width <= warp_size);
    const Int tail = n / width * width + thread;
    if (tail < n) reduction = op(reduction, in[tail]);
  }
  return reduction;
}

/// Calls take(i) for the same i of single values, in steps of `loads` calls that do not wait for each other:
/// as many loads are under way.
template <int loads, class Take>
__device__ __forceinline__ void grid_stride_steps(Index n, Take take) {
  const Index threads = blockDim.x * gridDim.x;
  Index i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i + (loads - 1) * threads < n; i += loads * threads)
#pragma unroll
    for (int k = 0; k < loads; ++k) take(i + k * threads);
#pragma unroll
  for (int k = 0; k < loads - 1; ++k)
    if (i + k * threads < n) take(i + k * threads);
}

/// Refuses what a loop with an index of type Int cannot number: it counts on by up to `step` past the end.
template <class Int>
void refuse_past(const Queue& queue, Index n, Index step) {
  const Index most = Index(std::numeric_limits<Int>::max()) - (step - 1);
  if (n > most)
    queue.refuse("counts in " + std::to_string(8 * sizeof(Int)) + " bits, which with steps of " +
                 std::to_string(step) + " are enough for n up to " + std::to_string(most));
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
