#include "kernels/parts/partial_radix_sort.hpp"
#include "kernels/scatter/problem.hpp"

namespace redbench {
namespace {

struct cpu_presorted {
  static constexpr Card card{
      .title = "the loop of cpu_sequential after a partial radix sort",
      .source =
          "Eilers 2014, 2.4, Alg. 2.4, mended; the sort is part of the time; deviation: the thesis clears "
          "nothing, here labels without a value have one result, too",
      .order = Order::any,
      .pages = Pages::small,
      .parameters = {{presort_bits, presort_threshold, presort_digit}}};

  template <class Op>
  static void run(Queue& queue, const Scatter<Op>& x) {
    using T = typename Op::Value;
    const PartialSort sort(queue, x.m, int(queue.parameter("digit_bits")));
    const SortScratch<T> scratch(queue, sort, x.n);
    queue.on_host([=] {
      const LabelledValues<T> sorted = partial_radix_sort<T>(sort, {x.labels, x.values}, x.n, scratch);
      std::fill(x.result, x.result + x.m, Op::identity());
      scatter_by_label(sorted.labels, sorted.values, x.n, x.result);
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Scatter, cpu_presorted)
}  // namespace redbench
