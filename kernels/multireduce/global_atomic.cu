#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/atomic_combine.hpp"
#include "kernels/parts/fill.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void combine_inputs(const u32* labels, const typename Op::Value* values, Index n,
                               typename Op::Value* result) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) atomic_combine<Op>(&result[labels[i]], values[i]);
}

struct global_atomic {
  static constexpr Card card{
      .title = "an atomic in global memory for each input, a thread each",
      .source = "not in the thesis; Eilers 2014, Alg. 4.9 with one set is all but the same",
      .order = Order::commutative,
      .reproducible = Reproducible::exact,
      .parameters = {{{"block", 256, 32, 1024, Step::multiple_of_warp, "reasoned: full occupancy"}}}};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    using T = typename Op::Value;
    const int block = int(queue.parameter("block"));
    fill(queue, x.result, x.m, Op::identity());
    if (x.n > 0)
      launch(queue,
             {.blocks = ceil_div(x.n, block),
              .threads = block,
              .bytes_read = double(x.n) * (sizeof(u32) + 2 * sizeof(T)),
              .bytes_written = double(x.n) * sizeof(T)},
             combine_inputs<Op>, x.labels, x.values, x.n, x.result);
    queue.chain(x.n);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, global_atomic)
}  // namespace redbench
