// Caught by what scratch memory held before: buckets start with what the last run left in them.
#include "tests/wrong/multireduce/tiles.hpp"

namespace redbench {
namespace {

WRONG_VARIANT(Multireduce, FewPairs, "does not clear the buckets of its sets", {
  const Index tiles = wrong_tiles(x.n);
  auto* const sets = queue.scratch<typename Op::Value>(x.m * tiles);
  reduce_tiles(queue, x, x.m, sets);
  reduce_sets<Op>(queue, x.m, tiles, sets, x.result);
})

}  // namespace
}  // namespace redbench
