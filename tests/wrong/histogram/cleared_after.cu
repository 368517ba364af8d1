// Caught by the poison of scratch memory: the buckets in it are what the last run left, which are zeros only
// where that run was of this kernel, too.
#include "tests/wrong/histogram/counts.hpp"

namespace redbench {
namespace {

__global__ void move_counts(u32* buckets, Index m, u32* counts) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= m) return;
  counts[i] = buckets[i];
  buckets[i] = 0;
}

WRONG_VARIANT(Histogram, AnyPairs, "buckets are cleared for the next run, not for this one", {
  auto* const buckets = queue.scratch<u32>(x.m);
  if (x.n > 0)
    launch(queue, {.blocks = ceil_div(x.n, wrong_tile), .threads = wrong_tile},
           count_tile<typename Op::Value>, x.labels, x.n, buckets);
  launch(queue, {.blocks = ceil_div(x.m, wrong_tile), .threads = wrong_tile}, move_counts, buckets, x.m,
         x.result);
})

}  // namespace
}  // namespace redbench
