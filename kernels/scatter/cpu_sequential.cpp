#include <algorithm>

#include "kernels/parts/label_loops.hpp"
#include "kernels/scatter/problem.hpp"

namespace redbench {
namespace {

struct cpu_sequential {
  static constexpr Card card{.title = "one loop on one core, after the result was cleared",
                             .source =
                                 "Eilers 2014, Alg. 2.1; deviation: the thesis clears nothing, here "
                                 "labels without a value have one result, too",
                             .order = Order::any,
                             .pages = Pages::small};

  template <class Op>
  static void run(Queue& queue, const Scatter<Op>& x) {
    queue.on_host([=] {
      std::fill(x.result, x.result + x.m, Op::identity());
      scatter_by_label(x.labels, x.values, x.n, x.result);
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Scatter, cpu_sequential)
}  // namespace redbench
