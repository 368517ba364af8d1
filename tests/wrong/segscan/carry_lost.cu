// Meant to be caught by segments that begin before a tile.
#include "tests/wrong/segscan/tiles.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(SegScan<Op> x) {
  scan_tile(x, Index(blockIdx.x) * wrong_tile);
}

struct carry_lost : FewPairs {
  static constexpr Card card{.title = "wrong: each tile begins anew", .source = "tests/wrong"};
  template <class Op>
  static void run(Queue& queue, const SegScan<Op>& x) {
    run_tiles(queue, x, wrong_kernel<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(SegScan, carry_lost)
}  // namespace redbench
