#include "kernels/multireduce/multireduce_on_cpu.hpp"

namespace redbench {
namespace {

struct cpu_sequential {
  static constexpr Card card{.title = "a bucket for each label, one loop on one core",
                             .source = "Eilers 2014, Alg. 2.2",
                             .order = Order::any,
                             .pages = Pages::small};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    multireduce_on_cpu<Op>(queue, x, reduce_by_label<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, cpu_sequential)
}  // namespace redbench
