#include "kernels/parts/contiguous_parts.hpp"
#include "kernels/parts/fill.hpp"
#include "kernels/scatter/problem.hpp"

namespace redbench {
namespace {

template <class T>
__global__ void scatter_part(const u32* labels, const T* values, Index n, Index length, T* result) {
  const u32* const block_labels = labels + Index(blockIdx.x) * length;
  const T* const block_values = values + Index(blockIdx.x) * length;
  const int inputs = part_inputs(n, length);
  for (int i = threadIdx.x; i < inputs; i += blockDim.x) result[block_labels[i]] = block_values[i];
}

struct naive {
  static constexpr Card card{
      .title = "result[label] = value, whichever thread is last",
      .source =
          "Eilers 2014, 3.2.2, 4.5.1 (the mirror image of Alg. 3.3); deviation: the thesis clears "
          "nothing, here labels without a value have one result, too",
      .order = Order::any,
      .parameters = {{parts_block, parts_per_sm}}};

  template <class Op>
  static void run(Queue& queue, const Scatter<Op>& x) {
    using T = typename Op::Value;
    x.needs_any(queue);
    const Index block = queue.parameter("block");
    const Parts parts = contiguous_parts(queue, x.n, parts_wanted(queue), block);
    fill(queue, x.result, x.m, Op::identity());
    if (x.n == 0) return;
    launch(queue,
           {.blocks = parts.blocks,
            .threads = int(block),
            .bytes_read = double(x.n) * (sizeof(u32) + sizeof(T)),
            .bytes_written = double(x.n) * sizeof(T)},
           scatter_part<T>, x.labels, x.values, x.n, parts.length, x.result);
  }
};

}  // namespace
REDBENCH_VARIANT(Scatter, naive)
}  // namespace redbench
