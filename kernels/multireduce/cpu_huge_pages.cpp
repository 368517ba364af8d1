#include "kernels/multireduce/multireduce_on_cpu.hpp"

namespace redbench {
namespace {

struct cpu_huge_pages {
  static constexpr Card card{
      .title = "the loop of cpu_sequential, all its memory in huge pages",
      .source = "Eilers 2014, 2.4, Fig. 2.4: pages of 2048 kB; for which arrays is not printed",
      .order = Order::any,
      .pages = Pages::huge};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    multireduce_on_cpu<Op>(queue, x, reduce_by_label<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, cpu_huge_pages)
}  // namespace redbench
