#include "kernels/multireduce/bank_buckets.hpp"
#include "kernels/multireduce/problem.hpp"

namespace redbench {
namespace {

struct per_bank {
  static constexpr Card card{
      .title = "a set of buckets in shared memory for each bank, two inputs at once, equal labels bundled",
      .source =
          "Eilers 2014, 4.3.6, Alg. 4.10: the second update is made where the labels differ, not where "
          "a value is not 0; buckets are cleared; at least a warp, also for fewer than 8 labels",
      .order = Order::commutative,
      .reproducible = Reproducible::exact,
      .maximum_m = bank_labels,
      .parameters = {{bank_factor, resident_per_sm}}};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    fill(queue, x.result, x.m, Op::identity());
    if (x.n > 0) queue.chain(bank_pass<Op, false>(queue, x.labels, x.values, x.n, 0, x.m, x.result));
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, per_bank)
}  // namespace redbench
