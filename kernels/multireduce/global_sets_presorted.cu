#include "kernels/multireduce/global_sets.hpp"
#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/device_sort.hpp"

namespace redbench {
namespace {

struct global_sets_presorted {
  static constexpr Card card{
      .title = "global_sets of the input sorted by the top bits of its labels",
      .source =
          "Eilers 2014, 4.3.5, Table 4.2; SRTS sort there, CUB's here; which bits are sorted by is not "
          "printed, the top ones are from 2.4",
      .order = Order::commutative,
      .reproducible = Reproducible::exact,
      .parameters = {{{"sort_bits", 15, 0, 32, Step::one,
                       "at most all bits; Table 4.2 for 2^18 to 2^22 labels, 0 to 20 for fewer and more"},
                      {"sets", 4, 1, most_sets, Step::power_of_two, "Table 4.2: 2 to 8"},
                      parts_block,
                      parts_per_sm}}};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    const auto sorted = sort_by_top_bits<typename Op::Value>(queue, {x.labels, x.values}, x.n, x.m,
                                                             queue.parameter("sort_bits"));
    global_sets_run<Op>(queue, sorted.labels, sorted.values, x.n, x.m, x.result);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, global_sets_presorted)
}  // namespace redbench
