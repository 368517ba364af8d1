// Meant to be caught by the exclusive cases: each value is in its own result.
#include "tests/wrong/multiscan/tiles.hpp"

namespace redbench {
namespace {

struct inclusive : FewPairs {
  static constexpr Card card{.title = "wrong: inclusive where exclusive is asked for",
                             .source = "tests/wrong",
                             .maximum_n = most_in_wrong_tiles};
  template <class Op>
  static void run(Queue& queue, Multiscan<Op> x) {
    x.inclusive = true;
    run_tiles(queue, x, scan_tile<Op>, scan_buckets<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, inclusive)
}  // namespace redbench
