#include "kernels/gather/problem.hpp"
#include "kernels/parts/contiguous_parts.hpp"

namespace redbench {
namespace {

template <class T>
__global__ void gather_part(const u32* labels, const T* values, Index n, Index length, T* result) {
  const u32* const block_labels = labels + Index(blockIdx.x) * length;
  T* const block_result = result + Index(blockIdx.x) * length;
  const int inputs = part_inputs(n, length);
  for (int i = threadIdx.x; i < inputs; i += blockDim.x) {
    const u32 label = block_labels[i];
    block_result[i] = values[label];
  }
}

struct naive {
  static constexpr Card card{.title = "result[i] = values[label], a contiguous part of the labels a block",
                             .source = "Eilers 2014, Alg. 3.3",
                             .order = Order::any,
                             .parameters = {{parts_block, parts_per_sm}}};

  template <class Op>
  static void run(Queue& queue, const Gather<Op>& x) {
    using T = typename Op::Value;
    const Index block = queue.parameter("block");
    const Parts parts = contiguous_parts(queue, x.n, parts_wanted(queue), block);
    if (x.n == 0) return;
    launch(queue,
           {.blocks = parts.blocks,
            .threads = int(block),
            .bytes_read = x.input_bytes(),
            .bytes_written = x.result_bytes()},
           gather_part<T>, x.labels, x.values, x.n, parts.length, x.result);
  }
};

}  // namespace
REDBENCH_VARIANT(Gather, naive)
}  // namespace redbench
