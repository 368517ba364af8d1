#include "kernels/scatter/problem.hpp"

namespace redbench {
namespace {

// The kernel, plain CUDA, for any type. One warp: every thread goes through all inputs in order and takes
// those of its own labels, so that the last value of a label wins.
template <class Op>
__global__ void kernel(Scatter<Op> x) {
  for (Index label = threadIdx.x; label < x.m; label += blockDim.x) x.result[label] = Op::identity();
  for (Index i = 0; i < x.n; ++i) {
    const u32 label = x.labels[i];
    if (label % blockDim.x == threadIdx.x) x.result[label] = x.values[i];
  }
}

struct smallest {
  // What is known of it. A launch parameter goes into .parameters, and a limit of m into .maximum_m:
  // kernels/variant.hpp.
  static constexpr Card card{.title = "one warp, a share of the labels for each thread", .source = "none"};

  // Its launches. Where any value of a label may win, threads may write in any order: a kernel that needs
  // that says x.needs_any(queue). Scratch memory: queue.scratch<T>(count).
  template <class Op>
  static void run(Queue& queue, const Scatter<Op>& x) {
    using T = typename Op::Value;
    launch(queue,
           {.blocks = 1,
            .threads = warp_size,
            .bytes_read = x.input_bytes(),
            .bytes_written = double(x.n + x.m) * sizeof(T)},
           kernel<Op>, x);
  }
};

}  // namespace
REDBENCH_VARIANT(Scatter, smallest)
}  // namespace redbench
