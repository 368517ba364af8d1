// Caught by segments that begin before a tile and fill it.
#include "tests/wrong/segreduce/tiles.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(Tiles<Op> x) {
  Index at = Index(blockIdx.x) * wrong_tile;
  const Index border = at + wrong_tile, end = border < x.n ? border : x.n;
  x.has_carry[blockIdx.x] = at > 0 && x.owners[at - 1] == x.owners[at];
  if (x.has_carry[blockIdx.x]) x.carries[blockIdx.x] = reduce_part(x, at, end);
  if (at == border) x.has_carry[blockIdx.x] = 0;
  write_parts(x, at, end);
}

WRONG_VARIANT(SegReduce, FewPairs, "hands a carry on only where a segment ends in the tile", {
  fill(queue, x.result, x.m, Op::identity());
  run_tiles(queue, x, wrong_kernel<Op>, append_carries<Op>);
})

}  // namespace
}  // namespace redbench
