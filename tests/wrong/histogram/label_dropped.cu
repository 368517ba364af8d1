// Caught by every label's count: of 256 labels and more, one bucket is one too few.
#include "tests/wrong/histogram/counts.hpp"

namespace redbench {
namespace {

template <class Label>
__global__ void wrong_kernel(const Label* labels, Index n, u32* counts) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n && labels[i] != Label(255)) atomicAdd(&counts[labels[i]], 1u);
}

WRONG_VARIANT(Histogram, AnyPairs, "label 255 is taken for a mark of no label", {
  fill(queue, x.result, x.m, 0u);
  count_tiles(queue, x, x.n, wrong_kernel<typename Op::Value>);
})

}  // namespace
}  // namespace redbench
