#include <algorithm>

#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/device_by_key.hpp"
#include "kernels/parts/library_pairs.hpp"

namespace redbench {
namespace {

struct cub_sort_reduce {
  static constexpr Card card{
      .title = "cub::DeviceRadixSort::SortPairs by all bits of a u32, then cub::DeviceReduce::ReduceByKey",
      .source = "not in the thesis: the library, by one who does not tell it m",
      .order = Order::any,
      .library_only = true};

  template <class Op>
  static constexpr std::string_view refuses() {
    return library_refuses<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    using T = typename Op::Value;
    const auto sorted = stable_sort<T>(queue, {x.labels, x.values}, x.n, 0, 32);
    const auto runs = runs_scratch<T>(queue, std::min(x.n, x.m));
    if (x.n > 0) reduce_by_key<Op>(queue, sorted, x.n, runs);
    scatter_runs<Op>(queue, runs, x.result, x.m);
    queue.chain(by_key_chain(x.n));
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, cub_sort_reduce)
}  // namespace redbench
