// Caught by empty segments among others: without any input the result is there.
#include "tests/wrong/segreduce/tiles.hpp"

namespace redbench {
namespace {

WRONG_VARIANT(SegReduce, FewPairs, "a segment without values keeps what was there", {
  if (x.n == 0) fill(queue, x.result, x.m, Op::identity());
  run_tiles(queue, x, reduce_tile<Op>, append_carries<Op>);
})

}  // namespace
}  // namespace redbench
