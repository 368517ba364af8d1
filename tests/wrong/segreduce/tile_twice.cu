// Caught by segments that start with a tile, not the first, and fill it.
#include "tests/wrong/segreduce/tiles.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(Tiles<Op> x) {
  const Index first = Index(blockIdx.x) * wrong_tile, border = first + wrong_tile;
  const Index end = border < x.n ? border : x.n;
  const bool goes_on = first > 0 && x.owners[first - 1] == x.owners[first];
  Index at = first;
  const auto part = reduce_part(x, at, end);
  x.has_carry[blockIdx.x] = goes_on || (first > 0 && at == border);
  x.carries[blockIdx.x] = part;
  if (!goes_on) x.result[x.owners[first]] = part;
  write_parts(x, at, end);
}

WRONG_VARIANT(SegReduce, FewPairs, "a tile of one segment is handed on though it was written", {
  fill(queue, x.result, x.m, Op::identity());
  run_tiles(queue, x, wrong_kernel<Op>, append_carries<Op>);
})

}  // namespace
}  // namespace redbench
