#include "kernels/gather/problem.hpp"
#include "kernels/parts/label_loops.hpp"

namespace redbench {
namespace {

struct cpu_sequential {
  static constexpr Card card{.title = "one loop on one core",
                             .source = "Eilers 2014, 2.4, no listing",
                             .order = Order::any,
                             .pages = Pages::small};

  template <class Op>
  static void run(Queue& queue, const Gather<Op>& x) {
    queue.on_host([=] { gather_by_label(x.labels, x.values, x.n, x.result); });
  }
};

}  // namespace
REDBENCH_VARIANT(Gather, cpu_sequential)
}  // namespace redbench
