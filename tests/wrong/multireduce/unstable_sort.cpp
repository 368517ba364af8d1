// Caught by operators that do not commute: what is right but for the order of a label's inputs.
#include "kernels/multireduce/multireduce_on_cpu.hpp"

namespace redbench {
namespace {

struct unstable_sort {
  static constexpr Card card{.title = "wrong: sorted by a digit from the last input to the first",
                             .source = "tests/wrong",
                             .order = Order::any};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    const Digit digit{0, 4};
    u32* const labels = queue.scratch<u32>(x.n);
    auto* const values = queue.scratch<typename Op::Value>(x.n);
    Index* const places = queue.scratch<Index>(digit.values());
    queue.on_host([=] {
      find_places(x.labels, x.n, digit, places);
      for (Index i = x.n - 1; i >= 0; --i) {
        const Index place = places[digit(x.labels[i])]++;
        labels[place] = x.labels[i];
        values[place] = x.values[i];
      }
      std::fill(x.result, x.result + x.m, Op::identity());
      reduce_by_label<Op>(labels, values, x.n, x.result);
    });
    queue.chain(x.n);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, unstable_sort)
}  // namespace redbench
