#include "kernels/triple_reduce/problem.hpp"

namespace redbench {
namespace {

constexpr int threads = 256;

// The kernel, plain CUDA, for any type and operator: Op()(x, y) is x combined with y. One block for one of
// the three components, whose values are `stride` apart.
template <class Op>
__global__ void kernel(const typename Op::Value* in, Index stride, Index n, typename Op::Value* result) {
  __shared__ typename Op::Value of_thread[threads];
  const int t = threadIdx.x;

  // of_thread[t] holds the reduction of thread t's share: neighbours, so that their order is kept.
  const Index share = ceil_div(n, threads), first = t * share;
  auto reduction = Op::identity();
  for (Index i = first; i < first + share && i < n; ++i) reduction = Op()(reduction, in[i * stride]);
  of_thread[t] = reduction;
  __syncthreads();

  // Thread 0 reduces these.
  if (t > 0) return;
  for (int k = 1; k < threads; ++k) reduction = Op()(reduction, of_thread[k]);
  *result = reduction;
}

struct smallest {
  // What is known of it. A kernel that swaps operands says .order = Order::commutative, and a launch
  // parameter goes into .parameters: kernels/variant.hpp.
  static constexpr Card card{.title = "a launch of one block for each component", .source = "none"};

  // Its launches. More scratch memory: queue.scratch<T>(count).
  template <class Op>
  static void run(Queue& queue, const TripleReduce<Op>& x) {
    using T = typename Op::Value;
    for (int k = 0; k < 3; ++k)
      launch(queue,
             {.blocks = 1,
              .threads = threads,
              .bytes_read = double(x.n) * sizeof(T),
              .bytes_written = sizeof(T)},
             kernel<Op>, x.component[k], x.stride, x.n, x.result + k);
    // The most operations between an input and the result: what bounds the rounding error.
    queue.chain(ceil_div(x.n, threads) + threads);
  }
};

}  // namespace
REDBENCH_VARIANT(TripleReduce, smallest)
}  // namespace redbench
