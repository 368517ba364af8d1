#include "kernels/multireduce/multireduce_on_cpu.hpp"

namespace redbench {
namespace {

struct cpu_presorted {
  static constexpr Card card{.title = "the loop of cpu_sequential after a partial radix sort",
                             .source = "Eilers 2014, 2.4, Alg. 2.4, mended; the sort is part of the time",
                             .order = Order::any,
                             .pages = Pages::small,
                             .parameters = {{presort_bits, presort_threshold, presort_digit}}};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    presorted_multireduce_on_cpu<Op>(queue, x, reduce_by_label<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, cpu_presorted)
}  // namespace redbench
