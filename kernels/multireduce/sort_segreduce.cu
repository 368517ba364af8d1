#include "kernels/multireduce/device_by_key.hpp"

namespace redbench {
namespace {

struct sort_segreduce {
  static constexpr Card card{
      .title = "a stable sort by log2 m bits, a reduction by key, and its runs put to their labels",
      .source =
          "Eilers 2014, 4.4.1, Alg. 4.12; SRTS sort and Modern GPU there, CUB here; that labels "
          "without an input get the identity is not said",
      .order = Order::any,
      .reproducible = Reproducible::exact};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    sort_and_reduce(queue, x, bits_of(x.m));
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, sort_segreduce)
}  // namespace redbench
