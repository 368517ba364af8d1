// Meant to be caught by the operators that are not commutative, where a segment crosses two borders of tiles.
#include "tests/wrong/segreduce/tiles.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(Tiles<Op> x, Index tiles) {
  for (Index tile = tiles; tile-- > 0;) append_carry(x, tile);
}

struct carries_swapped : FewPairs {
  static constexpr Card card{
      .title = "wrong: appends the last carry first", .source = "tests/wrong", .order = Order::any};
  template <class Op>
  static void run(Queue& queue, const SegReduce<Op>& x) {
    fill(queue, x.result, x.m, Op::identity());
    run_tiles(queue, x, reduce_tile<Op>, wrong_kernel<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(SegReduce, carries_swapped)
}  // namespace redbench
