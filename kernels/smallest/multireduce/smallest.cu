#include "kernels/multireduce/problem.hpp"

namespace redbench {
namespace {

// The kernel, plain CUDA, for any type and operator: Op()(x, y) is x combined with y. One warp: every thread
// goes through all inputs in order and takes those of its own labels, so that no two threads meet.
template <class Op>
__global__ void kernel(Multireduce<Op> x) {
  for (Index label = threadIdx.x; label < x.m; label += blockDim.x) x.result[label] = Op::identity();
  for (Index i = 0; i < x.n; ++i) {
    const u32 label = x.labels[i];
    if (label % blockDim.x == threadIdx.x) x.result[label] = Op()(x.result[label], x.values[i]);
  }
}

struct smallest {
  // What is known of it. A kernel that swaps operands says .order = Order::commutative, a launch parameter
  // goes into .parameters, and a limit of m into .maximum_m: kernels/variant.hpp.
  static constexpr Card card{.title = "one warp, a share of the labels for each thread", .source = "none"};

  // Its launches. Scratch memory: queue.scratch<T>(count).
  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    using T = typename Op::Value;
    launch(queue,
           {.blocks = 1,
            .threads = warp_size,
            .bytes_read = x.input_bytes() + double(x.n) * sizeof(T),
            .bytes_written = double(x.n + x.m) * sizeof(T)},
           kernel<Op>, x);
    // The most operations between an input and a result: what bounds the rounding error.
    queue.chain(x.n);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, smallest)
}  // namespace redbench
