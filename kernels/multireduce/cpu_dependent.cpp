#include "kernels/multireduce/multireduce_on_cpu.hpp"

namespace redbench {
namespace {

struct cpu_dependent {
  static constexpr Card card{
      .title = "the loop of cpu_sequential, no bucket read before the last one is there",
      .source = "Eilers 2014, 2.4, Fig. 2.8; how is not printed",
      .order = Order::any,
      .pages = Pages::small};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    multireduce_on_cpu<Op>(queue, x, reduce_by_label_dependent<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, cpu_dependent)
}  // namespace redbench
