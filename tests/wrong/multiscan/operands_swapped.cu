// Meant to be caught by the operators that are not commutative, where a label occurs twice in a tile and then
// again.
#include "tests/wrong/multiscan/tiles.hpp"

namespace redbench {
namespace {

template <class Op>
struct Backwards : Op {
  __device__ constexpr typename Op::Value operator()(typename Op::Value x, typename Op::Value y) const {
    return Op()(y, x);
  }
};

template <class Op>
__global__ void wrong_kernel(Tiles<Op> x) {
  scan_own_tile(Tiles<Backwards<Op>>{x.labels, x.values, x.n, x.m, x.buckets, x.result, x.inclusive});
}

struct operands_swapped : FewPairs {
  static constexpr Card card{.title = "wrong: puts an input before its bucket",
                             .source = "tests/wrong",
                             .maximum_n = most_in_wrong_tiles};
  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
    run_tiles(queue, x, wrong_kernel<Op>, scan_buckets<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, operands_swapped)
}  // namespace redbench
