// Meant to be caught by the second tile's first input: its result is inclusive in an exclusive case,
// exclusive in an inclusive one.
#include "tests/wrong/multiscan/tiles.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void wrong_kernel(Tiles<Op> x) {
  scan_own_tile(x);
  const Index first = Index(blockIdx.x) * wrong_tile;
  if (first > 0) x.result[first] = x.inclusive ? Op::identity() : x.values[first];
}

struct border_swapped : FewPairs {
  static constexpr Card card{.title = "wrong: inclusive for exclusive at a tile's first input",
                             .source = "tests/wrong",
                             .maximum_n = most_in_wrong_tiles};
  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
    run_tiles(queue, x, wrong_kernel<Op>, scan_buckets<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, border_swapped)
}  // namespace redbench
