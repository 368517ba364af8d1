#include "kernels/gather/problem.hpp"
#include "kernels/parts/cache_slices.hpp"

namespace redbench {
namespace {

template <class T>
__global__ void gather_slice(const u32* labels, const T* values, Index n, Index length, u32 first, u32 count,
                             T* result) {
  const u32* const block_labels = labels + Index(blockIdx.x) * length;
  T* const block_result = result + Index(blockIdx.x) * length;
  const int inputs = part_inputs(n, length);
  for (int i = threadIdx.x; i < inputs; i += blockDim.x) {
    const u32 label = block_labels[i];
    if (label - first < count) block_result[i] = values[label];
  }
}

struct multipass {
  static constexpr Card card{.title = "naive once for every slice of the values that the L2 holds",
                             .source = "Eilers 2014, 3.2.2, after He et al.; a launch for each pass",
                             .order = Order::any,
                             .parameters = {{slice_passes, parts_block, parts_per_sm}}};

  template <class Op>
  static void run(Queue& queue, const Gather<Op>& x) {
    launch_slices(queue, x, gather_slice<typename Op::Value>);
  }
};

}  // namespace
REDBENCH_VARIANT(Gather, multipass)
}  // namespace redbench
