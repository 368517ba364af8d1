// Caught by the poison of scratch memory: a tile's buckets begin with what was there.
#include "tests/wrong/multiscan/tiles.hpp"

namespace redbench {
namespace {

WRONG_VARIANT(Multiscan, ShortInputs, "the sets of buckets are not cleared",
              { run_tiles(queue, x, scan_tile<Op>, scan_buckets<Op>, false); })

}  // namespace
}  // namespace redbench
