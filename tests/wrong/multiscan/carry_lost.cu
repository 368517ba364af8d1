// Caught by label m - 1 where it occurs in two tiles: nothing of it is handed on.
#include "tests/wrong/multiscan/tiles.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(Tiles<Op> x) {
  scan_own_tile(x);
  x.buckets[(x.m - 1) * gridDim.x + blockIdx.x] = Op::identity();
}

WRONG_VARIANT(Multiscan, ShortInputs, "the last label's buckets are not handed on",
              { run_tiles(queue, x, wrong_kernel<Op>, scan_buckets<Op>); })

}  // namespace
}  // namespace redbench
