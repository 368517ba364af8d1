#include "kernels/multireduce/bank_buckets.hpp"
#include "kernels/multireduce/problem.hpp"

namespace redbench {
namespace {

struct per_bank_multipass {
  static constexpr Card card{
      .title = "per_bank once for every 256 labels, the others passed over",
      .source =
          "Eilers 2014, 4.3.6, \"Extension for more than 256 buckets\"; a launch for each pass, which "
          "is not said",
      .order = Order::commutative,
      .reproducible = Reproducible::exact,
      .maximum_m = 1 << 20,  // 4096 passes over the input
      .parameters = {{{"range", bank_labels, 8, 1024, Step::power_of_two, "labels of a pass; 4.3.6: 256"},
                      bank_factor,
                      resident_per_sm}}};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    const Index range = queue.parameter("range");
    fill(queue, x.result, x.m, Op::identity());
    if (x.n == 0) return;
    for (Index first = 0; first < x.m; first += range)
      queue.chain(
          bank_pass<Op, true>(queue, x.labels, x.values, x.n, first, std::min(range, x.m - first), x.result));
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, per_bank_multipass)
}  // namespace redbench
