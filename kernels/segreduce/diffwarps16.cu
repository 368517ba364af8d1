#include "kernels/segreduce/segmented_diffwarps.hpp"

namespace redbench {
namespace {

/// Table II prints 2H x (W+1) words of shared memory, 4352 bytes with W = 16: one matrix of values and one of
/// owners. The scheme of III.B.2 needs two of each, 8704 bytes; five blocks fit with that, too, which is the
/// table's MBPM.
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
