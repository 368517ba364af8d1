// Caught by the poison of the result.
#include "tests/wrong/histogram/counts.hpp"

namespace redbench {
namespace {

WRONG_VARIANT(Histogram, AnyPairs, "counts on from what was there",
              { count_tiles(queue, x, x.n, count_tile<typename Op::Value>); })

}  // namespace
}  // namespace redbench
