// Caught by labels that occur twice in a warp: read, combine and write without an atomic.
#include "kernels/parts/fill.hpp"
#include "tests/wrong/multireduce/tiles.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(Multireduce<Op> x) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  const auto before = i < x.n ? x.result[x.labels[i]] : Op::identity();
  __syncwarp();
  if (i < x.n) x.result[x.labels[i]] = Op()(before, x.values[i]);
}

WRONG_VARIANT(Multireduce, FewPairs, "of equal labels in a warp one is combined", {
  fill(queue, x.result, x.m, Op::identity());
  if (x.n > 0) launch(queue, {.blocks = ceil_div(x.n, warp_size), .threads = warp_size}, wrong_kernel<Op>, x);
})

}  // namespace
}  // namespace redbench
