// Meant to be caught by an input of the last label.
#include "tests/wrong/multireduce/tiles.hpp"

namespace redbench {
namespace {

struct label_dropped : FewPairs {
  static constexpr Card card{.title = "wrong: drops the inputs of label m - 1", .source = "tests/wrong"};
  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    const Index tiles = wrong_tiles(x.n);
    auto* const sets = queue.scratch<typename Op::Value>(x.m * tiles);
    fill(queue, sets, x.m * tiles, Op::identity());
    reduce_tiles(queue, x, x.m - 1, sets);
    reduce_sets<Op>(queue, x.m, tiles, sets, x.result);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, label_dropped)
}  // namespace redbench
