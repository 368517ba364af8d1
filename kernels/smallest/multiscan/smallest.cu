#include "kernels/multiscan/problem.hpp"

namespace redbench {
namespace {

// The kernel, plain CUDA, for any type and operator: Op()(x, y) is x combined with y. One warp: every thread
// goes through all inputs in order and takes those of its own labels, so that no two threads meet.
template <class Op>
__global__ void kernel(Multiscan<Op> x, typename Op::Value* buckets) {
  for (Index label = threadIdx.x; label < x.m; label += blockDim.x) buckets[label] = Op::identity();
  for (Index i = 0; i < x.n; ++i) {
    const u32 label = x.labels[i];
    if (label % blockDim.x != threadIdx.x) continue;
    // The label's bucket holds the reduction of the values before i that have it.
    const auto before = buckets[label], after = Op()(before, x.values[i]);
    buckets[label] = after;
    x.result[i] = x.inclusive ? after : before;
  }
}

struct smallest {
  // What is known of it. A kernel that swaps operands says .order = Order::commutative, a launch parameter
  // goes into .parameters, and a limit of m into .maximum_m: kernels/variant.hpp.
  static constexpr Card card{.title = "one warp, a share of the labels for each thread", .source = "none"};

  // Its launches, and the scratch memory that they need.
  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
    using T = typename Op::Value;
    T* const buckets = queue.scratch<T>(x.m);
    launch(queue,
           {.blocks = 1,
            .threads = warp_size,
            .bytes_read = x.input_bytes() + x.result_bytes(),
            .bytes_written = 2 * x.result_bytes()},
           kernel<Op>, x, buckets);
    // The most operations between an input and a result: what bounds the rounding error.
    queue.chain(x.n);
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, smallest)
}  // namespace redbench
