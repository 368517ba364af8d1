#include "kernels/histogram/warp_counters.hpp"

namespace redbench {
namespace {

/// The thesis names two ways of shuffling the input against runs of equal pixels and describes neither: both
/// of these are ours. Neighbouring words go to different warps or turns, as a warp reads from 4 parts of the
/// input, 32 bytes of each, or from 32, a word of each.
struct nugteren_shuffled {
  static constexpr Card card{
      .title =
          "podlozhnyuk256 with atomics of the hardware, each warp reading from several parts of the input",
      .source = "Eilers 2014, 4.3.1; Nugteren et al. 2011 (the ways of shuffling are ours)",
      .order = Order::commutative,
      .maximum_m = bins_of_warp,
      .parameters = {{{"shuffle", 2, 0, 2, Step::one,
                       "0: podlozhnyuk256's order; 1: a part for each lane; 2: for each 8 lanes, which read "
                       "a sector whole"},
                      update_parameter(1, "0: in software; 1: atomics of the hardware (Eilers 2014, 4.3.1)"),
                      warp_blocks}}};

  template <class Op>
  static constexpr std::string_view refuses() {
    return needs_bytes<Op>();
  }
  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    constexpr int widths[] = {warp_size, 1, 8};
    const int width = widths[queue.parameter("shuffle")];
    with_update(queue.parameter("update"),
                [&]<class Update>(Update) { launch_by_warps<Update>(queue, x, width); });
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, nugteren_shuffled)
}  // namespace redbench
