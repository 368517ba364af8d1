// Caught by the comparison of the inputs with what was uploaded: of all of them, not of the values alone.
#include "tests/wrong/segreduce/tiles.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(Tiles<Op> x, Index tiles) {
  for (Index tile = 0; tile < tiles; ++tile) append_carry(x, tile);
  const_cast<u32*>(x.owners)[x.n - 1] = 0;
}

WRONG_VARIANT(SegReduce, FewPairs, "writes its owners", {
  fill(queue, x.result, x.m, Op::identity());
  run_tiles(queue, x, reduce_tile<Op>, wrong_kernel<Op>);
})

}  // namespace
}  // namespace redbench
