#include "kernels/segscan/problem.hpp"

namespace redbench {
namespace {

// The kernel, plain CUDA, for any type and operator: Op()(x, y) is x combined with y. A thread for each
// value; that of a segment's first value goes through the segment.
template <class Op>
__global__ void kernel(SegScan<Op> x) {
  Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= x.n || (i > 0 && x.owners[i] == x.owners[i - 1])) return;
  const u32 owner = x.owners[i];
  auto before = Op::identity();
  for (; i < x.n && x.owners[i] == owner; ++i) {
    x.result[i] = before;
    before = Op()(before, x.values[i]);
  }
}

struct smallest {
  // What is known of it. A kernel that swaps operands says .order = Order::commutative, and a launch
  // parameter goes into .parameters: kernels/variant.hpp.
  static constexpr Card card{.title = "a thread for each segment", .source = "none"};

  // Its launches. More scratch memory: queue.scratch<T>(count).
  template <class Op>
  static void run(Queue& queue, const SegScan<Op>& x) {
    constexpr int threads = 256;
    if (x.n == 0) return;
    launch(queue,
           {.blocks = ceil_div(x.n, threads),
            .threads = threads,
            .bytes_read = x.input_bytes(),
            .bytes_written = x.result_bytes()},
           kernel<Op>, x);
    // The most operations between an input and a result: what bounds the rounding error.
    queue.chain(x.n);
  }
};

}  // namespace
REDBENCH_VARIANT(SegScan, smallest)
}  // namespace redbench
