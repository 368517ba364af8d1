// Meant to be caught by the battery's sizes that are no multiple of a tile.
#include "tests/wrong/histogram/counts.hpp"

namespace redbench {
namespace {

struct last_tile {
  static constexpr Card card{.title = "wrong: the last, partial tile is skipped", .source = "tests/wrong"};
  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    fill(queue, x.result, x.m, 0u);
    count_tiles(queue, x, x.n / wrong_tile * wrong_tile, count_tile<typename Op::Value>);
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, last_tile)
}  // namespace redbench
