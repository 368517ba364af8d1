#include "kernels/multireduce/global_sets.hpp"
#include "kernels/multireduce/problem.hpp"

namespace redbench {
namespace {

struct global_sets {
  static constexpr Card card{
      .title = "a few sets of buckets in global memory, an atomic for each input",
      .source = "Eilers 2014, 4.3.5, Alg. 4.9; one set is the result itself, without a last reduction",
      .order = Order::commutative,
      .reproducible = Reproducible::exact,
      .parameters = {{{"sets", 8, 1, most_sets, Step::power_of_two,
                       "4.3.5: best with degenerate labels; with random ones 1 is"},
                      parts_block,
                      parts_per_sm}}};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    global_sets_run<Op>(queue, x.labels, x.values, x.n, x.m, x.result);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, global_sets)
}  // namespace redbench
