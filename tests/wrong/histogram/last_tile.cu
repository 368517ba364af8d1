// Caught by the battery's sizes that are no multiple of a tile.
#include "tests/wrong/histogram/counts.hpp"

namespace redbench {
namespace {

WRONG_VARIANT(Histogram, AnyPairs, "the last, partial tile is skipped", {
  fill(queue, x.result, x.m, 0u);
  count_tiles(queue, x, x.n / wrong_tile * wrong_tile, count_tile<typename Op::Value>);
})

}  // namespace
}  // namespace redbench
