#include <algorithm>

#include "kernels/histogram/problem.hpp"

namespace redbench {
namespace {

struct cpu_serial {
  static constexpr Card card{
      .title = "one loop on one core", .source = "the problem's definition", .order = Order::any};

  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    queue.on_host([=] {
      std::fill(x.result, x.result + x.m, 0);
      for (Index i = 0; i < x.n; ++i) ++x.result[x.labels[i]];
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, cpu_serial)
}  // namespace redbench
