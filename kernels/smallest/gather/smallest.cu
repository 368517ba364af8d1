#include "kernels/gather/problem.hpp"

namespace redbench {
namespace {

// The kernel, plain CUDA, for any type. One block does it all.
template <class Op>
__global__ void kernel(Gather<Op> x) {
  for (Index i = threadIdx.x; i < x.n; i += blockDim.x) x.result[i] = x.values[x.labels[i]];
}

struct smallest {
  // What is known of it. A launch parameter goes into .parameters, and a limit of m into .maximum_m:
  // kernels/variant.hpp.
  static constexpr Card card{.title = "one block, its threads a block apart", .source = "none"};

  // Its launches. Scratch memory: queue.scratch<T>(count).
  template <class Op>
  static void run(Queue& queue, const Gather<Op>& x) {
    launch(queue,
           {.blocks = 1, .threads = 256, .bytes_read = x.input_bytes(), .bytes_written = x.result_bytes()},
           kernel<Op>, x);
  }
};

}  // namespace
REDBENCH_VARIANT(Gather, smallest)
}  // namespace redbench
