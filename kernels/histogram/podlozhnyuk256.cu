#include "kernels/histogram/warp_counters.hpp"

namespace redbench {
namespace {

/// The text leaves open which update Fig. 4.4 has; the original's is the default.
struct podlozhnyuk256 {
  static constexpr Card card{
      .title = "a histogram of 256 bins per warp, 192 threads per block, updates serialised in software",
      .source = "Eilers 2014, 4.3.1; Podlozhnyuk 2007",
      .order = Order::commutative,
      .maximum_m = bins_of_warp,
      .parameters = {{update_parameter(0, "0: in software, as in the original; 1: atomics of the hardware"),
                      warp_blocks}}};

  template <class Op>
  static constexpr std::string_view refuses() {
    return needs_bytes<Op>();
  }
  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    with_update(queue.parameter("update"),
                [&]<class Update>(Update) { launch_by_warps<Update>(queue, x, warp_size); });
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, podlozhnyuk256)
}  // namespace redbench
