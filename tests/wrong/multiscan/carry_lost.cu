// Meant to be caught by label m - 1 where it occurs in two tiles: nothing of it is handed on.
#include "tests/wrong/multiscan/tiles.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(Tiles<Op> x) {
  scan_own_tile(x);
  x.buckets[(x.m - 1) * gridDim.x + blockIdx.x] = Op::identity();
}

struct carry_lost : FewPairs {
  static constexpr Card card{.title = "wrong: the last label's buckets are not handed on",
                             .source = "tests/wrong",
                             .maximum_n = most_in_wrong_tiles};
  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
    run_tiles(queue, x, wrong_kernel<Op>, scan_buckets<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, carry_lost)
}  // namespace redbench
