// Caught by segments that start with a tile, not the first: they get the carry of the one before.
#include "tests/wrong/segscan/tiles.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(SegScan<Op> x) {
  const Index first = Index(blockIdx.x) * wrong_tile;
  scan_tile(x, start_of(x, first > 0 ? first - 1 : 0));
}

WRONG_VARIANT(SegScan, FewPairs, "a tile never begins with a segment",
              { run_tiles(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
