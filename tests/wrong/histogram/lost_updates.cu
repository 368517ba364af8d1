// Caught by labels that occur twice in a warp: read, add and write without an atomic.
#include "tests/wrong/histogram/counts.hpp"

namespace redbench {
namespace {

template <class Label>
__global__ void wrong_kernel(const Label* labels, Index n, u32* counts) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  const u32 before = i < n ? counts[labels[i]] : 0;
  __syncwarp();
  if (i < n) counts[labels[i]] = before + 1;
}

WRONG_VARIANT(Histogram, AnyPairs, "of equal labels in a warp one is counted", {
  fill(queue, x.result, x.m, 0u);
  count_tiles(queue, x, x.n, wrong_kernel<typename Op::Value>);
})

}  // namespace
}  // namespace redbench
