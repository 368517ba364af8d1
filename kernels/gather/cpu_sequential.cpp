#include "kernels/gather/problem.hpp"

namespace redbench {
namespace {

struct cpu_sequential {
  static constexpr Card card{
      .title = "one loop on one core", .source = "Eilers 2014, 2.4, no listing", .order = Order::any};

  template <class Op>
  static void run(Queue& queue, const Gather<Op>& x) {
    queue.on_host([=] {
      for (Index i = 0; i < x.n; ++i) x.result[i] = x.values[x.labels[i]];
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Gather, cpu_sequential)
}  // namespace redbench
