// Meant to be caught by the poison of the result.
#include "tests/wrong/histogram/counts.hpp"

namespace redbench {
namespace {

struct not_cleared {
  static constexpr Card card{.title = "wrong: counts on from what was there", .source = "tests/wrong"};
  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    count_tiles(queue, x, x.n, count_tile<typename Op::Value>);
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, not_cleared)
}  // namespace redbench
