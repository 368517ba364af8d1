// Caught by the non-commutative operators, where a label occurs in two tiles.
#include "tests/wrong/multireduce/tiles.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(const typename Op::Value* sets, Index tiles, typename Op::Value* result) {
  auto reduction = Op::identity();
  for (Index i = Index(blockIdx.x + 1) * tiles - 1; i >= Index(blockIdx.x) * tiles; --i)
    reduction = Op()(reduction, sets[i]);
  result[blockIdx.x] = reduction;
}

WRONG_VARIANT(Multireduce, FewPairs, "joins the sets from the last to the first", {
  const Index tiles = wrong_tiles(x.n);
  auto* const sets = queue.scratch<typename Op::Value>(x.m * tiles);
  fill(queue, sets, x.m * tiles, Op::identity());
  reduce_tiles(queue, x, x.m, sets);
  launch(queue, {.blocks = x.m, .threads = 1}, wrong_kernel<Op>, sets, tiles, x.result);
})

}  // namespace
}  // namespace redbench
