// Caught by the non-commutative operators, where a label occurs twice in a tile and then again.
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

WRONG_VARIANT(Multiscan, ShortInputs, "puts an input before its bucket",
              { run_tiles(queue, x, wrong_kernel<Op>, scan_buckets<Op>); })

}  // namespace
}  // namespace redbench
