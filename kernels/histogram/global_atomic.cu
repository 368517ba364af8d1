#include "kernels/histogram/problem.hpp"
#include "kernels/parts/fill.hpp"

namespace redbench {
namespace {

template <class Label>
__global__ void count_labels(const Label* labels, Index n, u32* counts) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[labels[i]], 1u);
}

struct global_atomic {
  static constexpr Card card{
      .title = "an atomic in global memory for each label",
      .source = "none: what every paper's histogram avoids",
      .order = Order::commutative,
      .parameters = {{{"block", 256, 32, 1024, Step::multiple_of_warp, "reasoned: full occupancy"}}}};

  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    const int block = int(queue.parameter("block"));
    fill(queue, x.result, x.m, 0u);
    if (x.n == 0) return;
    launch(queue,
           {.blocks = ceil_div(x.n, block),
            .threads = block,
            .bytes_read = double(x.n) * (sizeof(typename Op::Value) + sizeof(u32)),
            .bytes_written = double(x.n) * sizeof(u32)},
           count_labels<typename Op::Value>, x.labels, x.n, x.result);
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, global_atomic)
}  // namespace redbench
