// Caught by the exclusive cases: each value is in its own result.
#include "tests/wrong/multiscan/tiles.hpp"

namespace redbench {
namespace {

WRONG_VARIANT(Multiscan, ShortInputs, "inclusive where exclusive is asked for", {
  Multiscan<Op> all = x;
  all.inclusive = true;
  run_tiles(queue, all, scan_tile<Op>, scan_buckets<Op>);
})

}  // namespace
}  // namespace redbench
