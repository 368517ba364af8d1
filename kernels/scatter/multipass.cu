#include "kernels/parts/cache_slices.hpp"
#include "kernels/parts/fill.hpp"
#include "kernels/scatter/problem.hpp"

namespace redbench {
namespace {

template <class T>
__global__ void scatter_slice(const u32* labels, const T* values, Index n, Index length, u32 first, u32 count,
                              T* result) {
  const u32* const block_labels = labels + Index(blockIdx.x) * length;
  const T* const block_values = values + Index(blockIdx.x) * length;
  const int inputs = part_inputs(n, length);
  for (int i = threadIdx.x; i < inputs; i += blockDim.x) {
    const u32 label = block_labels[i];
    if (label - first < count) relaxed_store(&result[label], block_values[i]);
  }
}

struct multipass {
  static constexpr Card card{
      .title = "naive once for every slice of the results that the L2 holds",
      .source = "Eilers 2014, 3.2.2, after He et al.; a launch for each pass; clears as scatter/naive",
      .order = Order::any,
      .parameters = {{slice_passes, parts_block, parts_per_sm}}};

  template <class Op>
  static void run(Queue& queue, const Scatter<Op>& x) {
    using T = typename Op::Value;
    x.needs_any(queue);
    const Index block = queue.parameter("block"), slice = slice_labels(queue, x.m, sizeof(T));
    const Parts parts = contiguous_parts(queue, x.n, parts_wanted(queue), block);
    fill(queue, x.result, x.m, Op::identity());
    if (x.n == 0) return;
    for (Index first = 0; first < x.m; first += slice)
      launch(
          queue,
          {.blocks = parts.blocks,
           .threads = int(block),
           .bytes_read = double(x.n) * sizeof(u32) + double(x.n) / double(ceil_div(x.m, slice)) * sizeof(T),
           .bytes_written = double(x.n) / double(ceil_div(x.m, slice)) * sizeof(T)},
          scatter_slice<T>, x.labels, x.values, x.n, parts.length, u32(first),
          u32(std::min(slice, x.m - first)), x.result);
  }
};

}  // namespace
REDBENCH_VARIANT(Scatter, multipass)
}  // namespace redbench
