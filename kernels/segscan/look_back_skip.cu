// Model: look_back's, with 8 bytes for values of four where segments are longer than what a warp has of a tile, 512
// inputs by default. Elsewhere owners are asked for only after two of them have come, one latency more.
#include "kernels/segscan/look_back_tiles.hpp"

namespace redbench {
namespace {

struct look_back_skip {
  static constexpr Card card{.title = "look_back that reads no owner between two equal ones",
                             .source = "not published: owners never decrease",
                             .order = Order::any,
                             .reproducible = Reproducible::exact,
                             .parameters = look_back_parameters};

  template <class Op>
  static void run(Queue& queue, const SegScan<Op>& x) {
    run_look_back<true>(queue, x);
  }
};

}  // namespace
REDBENCH_VARIANT(SegScan, look_back_skip)
}  // namespace redbench
