// Caught by the non-commutative operators, where a segment crosses two borders of tiles.
#include "tests/wrong/segreduce/tiles.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(Tiles<Op> x, Index tiles) {
  for (Index tile = tiles; tile-- > 0;) append_carry(x, tile);
}

WRONG_VARIANT(SegReduce, FewPairs, "appends the last carry first", {
  fill(queue, x.result, x.m, Op::identity());
  run_tiles(queue, x, reduce_tile<Op>, wrong_kernel<Op>);
})

}  // namespace
}  // namespace redbench
