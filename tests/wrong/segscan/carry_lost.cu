// Caught by segments that begin before a tile.
#include "tests/wrong/segscan/tiles.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(SegScan<Op> x) {
  scan_tile(x, Index(blockIdx.x) * wrong_tile);
}

WRONG_VARIANT(SegScan, FewPairs, "each tile begins anew", { run_tiles(queue, x, wrong_kernel<Op>); })

}  // namespace
}  // namespace redbench
