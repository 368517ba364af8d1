#include "kernels/parts/segmented_diffwarps.hpp"

namespace redbench {
namespace {

struct diffwarps16 {
  static constexpr Card card{.title = "persistent matrix 16 wide, warps that load beside a warp that reduces",
                             .source = "Martin 2012, V.B",
                             .order = Order::any,
                             .registers = 21};

  template <class Op>
  static void run(Queue& queue, const SegReduce<Op>& x) {
    segmented_diffwarps_run<16>(queue, x);
  }
};

}  // namespace
REDBENCH_VARIANT(SegReduce, diffwarps16)
}  // namespace redbench
