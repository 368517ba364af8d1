// Caught by an input of the last label.
#include "tests/wrong/multireduce/tiles.hpp"

namespace redbench {
namespace {

WRONG_VARIANT(Multireduce, FewPairs, "drops the inputs of label m - 1", {
  const Index tiles = wrong_tiles(x.n);
  auto* const sets = queue.scratch<typename Op::Value>(x.m * tiles);
  fill(queue, sets, x.m * tiles, Op::identity());
  reduce_tiles(queue, x, x.m - 1, sets);
  reduce_sets<Op>(queue, x.m, tiles, sets, x.result);
})

}  // namespace
}  // namespace redbench
