#include <algorithm>

#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/device_by_key.hpp"

namespace redbench {
namespace {

struct sort_segreduce {
  static constexpr Card card{
      .title = "a stable sort by log2 m bits, a reduction by key, and its runs put to their labels",
      .source =
          "Eilers 2014, 4.4.1, Alg. 4.12; SRTS sort and Modern GPU there, CUB here; that labels "
          "without an input get the identity is not said",
      .order = Order::any};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    using T = typename Op::Value;
    const auto sorted = stable_sort<T>(queue, {x.labels, x.values}, x.n, 0, bits_of(x.m));
    const auto runs = runs_scratch<T>(queue, std::min(x.n, x.m));
    if (x.n > 0) reduce_by_key<Op>(queue, sorted, x.n, runs);
    scatter_runs<Op>(queue, runs, x.result, x.m);
    queue.chain(by_key_chain(x.n));
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, sort_segreduce)
}  // namespace redbench
