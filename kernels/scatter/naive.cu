#include "kernels/parts/fill.hpp"
#include "kernels/scatter/problem.hpp"
#include "kernels/scatter/scatter_parts.hpp"

namespace redbench {
namespace {

struct naive {
  static constexpr Card card{
      .title = "result[label] = value, whichever thread is last",
      .source =
          "Eilers 2014, 3.2.2, 4.5.1 (the mirror image of Alg. 3.3); deviation: the thesis clears "
          "nothing, here labels without a value have one result, too",
      .order = Order::any,
      .reproducible = Reproducible::never,
      .parameters = {{parts_block, parts_per_sm}}};

  template <class Op>
  static void run(Queue& queue, const Scatter<Op>& x) {
    x.needs_any(queue);
    fill(queue, x.result, x.m, Op::identity());
    if (x.n > 0) scatter_parts(queue, x.labels, x.values, x.n, x.result);
  }
};

}  // namespace
REDBENCH_VARIANT(Scatter, naive)
}  // namespace redbench
