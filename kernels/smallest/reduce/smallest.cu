#include "kernels/reduce/problem.hpp"

namespace redbench {
namespace {

constexpr int threads = 256;

// The kernel, plain CUDA, for any type and operator: Op()(x, y) is x combined with y. One block does it all.
template <class Op>
__global__ void kernel(const typename Op::Value* in, Index n, typename Op::Value* result) {
  __shared__ typename Op::Value of_thread[threads];
  const int t = threadIdx.x;

  // of_thread[t] holds the reduction of thread t's share: neighbours, so that their order is kept.
  const Index share = ceil_div(n, threads), first = t * share;
  auto reduction = Op::identity();
  for (Index i = first; i < first + share && i < n; ++i) reduction = Op()(reduction, in[i]);
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
  static constexpr Card card{.title = "one block, a share of neighbours for each thread", .source = "none"};

  // Its launches. More scratch memory: queue.scratch<T>(count).
  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    using T = typename Op::Value;
    launch(queue,
           {.blocks = 1, .threads = threads, .bytes_read = x.input_bytes(), .bytes_written = sizeof(T)},
           kernel<Op>, x.values, x.n, x.result);
    // The most operations between an input and the result: what bounds the rounding error.
    queue.chain(ceil_div(x.n, threads) + threads);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, smallest)
}  // namespace redbench
