#include "kernels/segreduce/warp_scan.hpp"

namespace redbench {
namespace {

struct warp_scan {
  static constexpr Card card{
      .title = "even split by owners, 16-byte loads, a segmented scan of lanes, results side by side",
      .source = "Sengupta, Harris and Garland 2008; Merrill and Garland 2016",
      .order = Order::any,
      .maximum_m = most_owners,
      .parameters = warp_scan_parameters};

  template <class Op>
  static void run(Queue& queue, const SegReduce<Op>& x) {
    run_warp_scan<Op, false>(queue, x);
  }
};

}  // namespace
REDBENCH_VARIANT(SegReduce, warp_scan)
}  // namespace redbench
