#include "kernels/histogram/problem.hpp"

namespace redbench {
namespace {

// The kernel, plain CUDA, for labels of any type. One block does it all.
template <class Label>
__global__ void kernel(const Label* labels, Index n, u32* counts, Index m) {
  for (Index i = threadIdx.x; i < m; i += blockDim.x) counts[i] = 0;
  __syncthreads();
  for (Index i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&counts[labels[i]], 1u);
}

struct smallest {
  // What is known of it. A launch parameter goes into .parameters, and a limit of m into .maximum_m:
  // kernels/variant.hpp.
  static constexpr Card card{
      .title = "one block, atomics in global memory", .source = "none", .order = Order::commutative};

  // Its launches. More scratch memory: queue.scratch<T>(count).
  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    launch(queue,
           {.blocks = 1,
            .threads = 256,
            .bytes_read = x.input_bytes() + double(x.n) * sizeof(u32),
            .bytes_written = double(x.n + x.m) * sizeof(u32)},
           kernel<typename Op::Value>, x.labels, x.n, x.result, x.m);
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, smallest)
}  // namespace redbench
