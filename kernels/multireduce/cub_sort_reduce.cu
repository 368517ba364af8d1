#include "kernels/multireduce/device_by_key.hpp"
#include "kernels/parts/library_pairs.hpp"

namespace redbench {
namespace {

struct cub_sort_reduce {
  static constexpr Card card{
      .title = "cub::DeviceRadixSort::SortPairs by all bits of a u32, then cub::DeviceReduce::ReduceByKey",
      .source = "not in the thesis: the library, by one who does not tell it m",
      .order = Order::any,
      .reproducible = Reproducible::exact,
      .library_only = true};

  template <class Op>
  static constexpr std::string_view refuses() {
    return library_refuses<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    sort_and_reduce(queue, x, 32);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, cub_sort_reduce)
}  // namespace redbench
