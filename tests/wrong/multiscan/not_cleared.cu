// Meant to be caught by the poison of scratch memory: a tile's buckets begin with what was there.
#include "tests/wrong/multiscan/tiles.hpp"

namespace redbench {
namespace {

struct not_cleared : FewPairs {
  static constexpr Card card{.title = "wrong: the sets of buckets are not cleared",
                             .source = "tests/wrong",
                             .maximum_n = most_in_wrong_tiles};
  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
    run_tiles(queue, x, scan_tile<Op>, scan_buckets<Op>, false);
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, not_cleared)
}  // namespace redbench
