// Caught by the second tile's first input: its result is inclusive in an exclusive case, exclusive in an
// inclusive one.
#include "tests/wrong/multiscan/tiles.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(Tiles<Op> x) {
  scan_own_tile(x);
  const Index first = Index(blockIdx.x) * wrong_tile;
  if (first > 0) x.result[first] = x.inclusive ? Op::identity() : x.values[first];
}

WRONG_VARIANT(Multiscan, ShortInputs, "inclusive for exclusive at a tile's first input",
              { run_tiles(queue, x, wrong_kernel<Op>, scan_buckets<Op>); })

}  // namespace
}  // namespace redbench
