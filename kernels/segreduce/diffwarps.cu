#include "kernels/segreduce/segmented_diffwarps.hpp"

namespace redbench {
namespace {

struct diffwarps {
  static constexpr Card card{.title = "persistent matrix 32 wide, warps that load beside a warp that reduces",
                             .source = "Martin 2012, IV.B",
                             .order = Order::any,
                             .registers = 25};

  template <class Op>
  static void run(Queue& queue, const SegReduce<Op>& x) {
    segmented_diffwarps_run<32>(queue, x);
  }
};

}  // namespace
REDBENCH_VARIANT(SegReduce, diffwarps)
}  // namespace redbench
