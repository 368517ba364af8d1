// Caught by every label's count: the last of the m buckets stays empty.
#include "tests/wrong/histogram/counts.hpp"

namespace redbench {
namespace {

template <class Label>
__global__ void wrong_kernel(const Label* labels, Index n, Index m, u32* counts) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n && labels[i] < m - 1) atomicAdd(&counts[labels[i]], 1u);
}

WRONG_VARIANT(Histogram, AnyPairs, "label m - 1 is dropped", {
  fill(queue, x.result, x.m, 0u);
  if (x.n > 0)
    launch(queue, {.blocks = ceil_div(x.n, wrong_tile), .threads = wrong_tile},
           wrong_kernel<typename Op::Value>, x.labels, x.n, x.m, x.result);
})

}  // namespace
}  // namespace redbench
