// A wrong multireduce on the CPU.
#include "kernels/multireduce/multireduce_on_cpu.hpp"
#include "tests/wrong/wrong_variant.hpp"

namespace redbench {
namespace {

struct AnyOrder {
  static constexpr Card rest{.title = "", .source = "tests/wrong", .order = Order::any};
};

/// Caught by operators that do not commute: it is right but for the order of a label's inputs.
WRONG_VARIANT(Multireduce, unstable_sort, AnyOrder, "sorted by a digit from the last input to the first", {
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
})

}  // namespace
}  // namespace redbench
