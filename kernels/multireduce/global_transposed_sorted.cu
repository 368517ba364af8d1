#include "kernels/multireduce/global_transposed.hpp"
#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/device_sort.hpp"

namespace redbench {
namespace {

struct global_transposed_sorted {
  static constexpr Card card{
      .title = "global_transposed of the input sorted by all bits of its labels",
      .source = "Eilers 2014, 4.3.5, Fig. 4.9; SRTS sort there, CUB's here",
      .order = Order::any,
      .parameters = {{{"block", 384, 32, 1024, Step::multiple_of_warp, "as global_transposed"},
                      {"blocks", 8, 1, 4096, Step::one, "at most; 4.3.5: 3072 threads"},
                      transposed_items,
                      fetched_loads}}};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    const auto sorted = stable_sort<typename Op::Value>(queue, {x.labels, x.values}, x.n, 0, bits_of(x.m));
    global_transposed_run<Op>(queue, sorted.labels, sorted.values, x.n, x.m, x.result);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, global_transposed_sorted)
}  // namespace redbench
