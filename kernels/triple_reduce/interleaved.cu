#include "kernels/parts/field_reduce.hpp"

namespace redbench {
namespace {

struct interleaved {
  static constexpr Card card{.title = "three reductions interleaved, three shuffles per step",
                             .source = "Luitjens 2014, \"Interleaving multiple reductions\"",
                             .order = Order::commutative,
                             .minimum_capability = 30,
                             .parameters = field_parameters};

  template <class Op>
  static void run(Queue& queue, const TripleReduce<Op>& x) {
    reduce_triple<3>(queue, x);
  }
};

}  // namespace
REDBENCH_VARIANT(TripleReduce, interleaved)
}  // namespace redbench
