// Meant to be caught by what scratch memory held before: buckets start with what the last run left in them.
#include "tests/wrong/multireduce/tiles.hpp"

namespace redbench {
namespace {

struct not_cleared : FewPairs {
  static constexpr Card card{.title = "wrong: does not clear the buckets of its sets",
                             .source = "tests/wrong"};
  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    const Index tiles = wrong_tiles(x.n);
    auto* const sets = queue.scratch<typename Op::Value>(x.m * tiles);
    reduce_tiles(queue, x, x.m, sets);
    reduce_sets<Op>(queue, x.m, tiles, sets, x.result);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, not_cleared)
}  // namespace redbench
