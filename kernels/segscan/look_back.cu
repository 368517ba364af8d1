// Model: owners and values are read once and a result is written for each, 12 bytes for values of four, in one
// launch behind one that clears 8 bytes a tile. A tile's life is the latency of its loads, its scan, two
// barriers, what it waits for tiles before it, and its stores; while it lives its registers are the bytes under
// way, so that blocks on a multiprocessor times their tiles must be its share of bandwidth times a life.
#include "kernels/segscan/look_back_tiles.hpp"

namespace redbench {
namespace {

struct look_back {
  static constexpr Card card{
      .title = "one pass over the input: a tile tells its reduction, whole where a segment starts in it",
      .source =
          "Merrill and Garland 2016, decoupled look-back, with the flag of Sengupta, Harris and Garland 2008",
      .order = Order::any,
      .reproducible = Reproducible::exact,
      .parameters = look_back_parameters};

  template <class Op>
  static void run(Queue& queue, const SegScan<Op>& x) {
    run_look_back<false>(queue, x);
  }
};

}  // namespace
REDBENCH_VARIANT(SegScan, look_back)
}  // namespace redbench
