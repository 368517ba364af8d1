#include "kernels/segreduce/warp_scan.hpp"

namespace redbench {
namespace {

struct warp_scan_skip {
  static constexpr Card card{.title = "warp_scan that reads no owner between two equal ones",
                             .source = "Sengupta, Harris and Garland 2008; Merrill and Garland 2016",
                             .order = Order::any,
                             .maximum_m = most_owners,
                             .parameters = warp_scan_parameters};

  template <class Op>
  static void run(Queue& queue, const SegReduce<Op>& x) {
    run_warp_scan<Op, true>(queue, x);
  }
};

}  // namespace
REDBENCH_VARIANT(SegReduce, warp_scan_skip)
}  // namespace redbench
