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
      .reproducible = Reproducible::never,
      .parameters = {{slice_passes, parts_block, parts_per_sm}}};

  template <class Op>
  static void run(Queue& queue, const Scatter<Op>& x) {
    x.needs_any(queue);
    fill(queue, x.result, x.m, Op::identity());
    launch_slices(queue, x, scatter_slice<typename Op::Value>);
  }
};

}  // namespace
REDBENCH_VARIANT(Scatter, multipass)
}  // namespace redbench
