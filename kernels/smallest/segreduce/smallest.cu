#include "kernels/segreduce/problem.hpp"

namespace redbench {
namespace {

// Where a segment starts: the first value whose owner is not below it.
__device__ Index first_of(Index segment, const u32* owners, Index n) {
  Index low = 0, high = n;
  while (low < high) {
    const Index middle = (low + high) / 2;
    if (owners[middle] < segment) low = middle + 1;
    else high = middle;
  }
  return low;
}

// The kernel, plain CUDA, for any type and operator: Op()(x, y) is x combined with y. A thread for each
// segment, which the case tells by owners or by offsets.
template <class Op>
__global__ void kernel(SegReduce<Op> x) {
  const Index segment = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (segment >= x.m) return;
  const Index first = x.by_owners ? first_of(segment, x.owners, x.n) : x.offsets[segment];
  const Index end = x.by_owners ? first_of(segment + 1, x.owners, x.n) : x.offsets[segment + 1];
  auto reduction = Op::identity();
  for (Index i = first; i < end; ++i) reduction = Op()(reduction, x.values[i]);
  x.result[segment] = reduction;
}

struct smallest {
  // What is known of it. A kernel that swaps operands says .order = Order::commutative, and a launch
  // parameter goes into .parameters: kernels/variant.hpp. One that takes owners alone calls
  // x.needs_owners(queue) in run.
  static constexpr Card card{.title = "a thread for each segment", .source = "none"};

  // Its launches. More scratch memory: queue.scratch<T>(count).
  template <class Op>
  static void run(Queue& queue, const SegReduce<Op>& x) {
    using T = typename Op::Value;
    constexpr int threads = 256;
    if (x.m == 0) return;
    launch(queue,
           {.blocks = ceil_div(x.m, threads),
            .threads = threads,
            .bytes_read = double(x.n) * sizeof(T) + double(x.m) * 2 * sizeof(Index),
            .bytes_written = double(x.m) * sizeof(T)},
           kernel<Op>, x);
    // The most operations between an input and its result: what bounds the rounding error.
    queue.chain(x.n);
  }
};

}  // namespace
REDBENCH_VARIANT(SegReduce, smallest)
}  // namespace redbench
