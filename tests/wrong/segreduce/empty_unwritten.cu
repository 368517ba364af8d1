// Meant to be caught by empty segments among others: without any input the result is there.
#include "tests/wrong/segreduce/tiles.hpp"

namespace redbench {
namespace {

struct empty_unwritten : FewPairs {
  static constexpr Card card{.title = "wrong: a segment without values keeps what was there",
                             .source = "tests/wrong",
                             .order = Order::any};
  template <class Op>
  static void run(Queue& queue, const SegReduce<Op>& x) {
    if (x.n == 0) fill(queue, x.result, x.m, Op::identity());
    run_tiles(queue, x, reduce_tile<Op>, append_carries<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(SegReduce, empty_unwritten)
}  // namespace redbench
