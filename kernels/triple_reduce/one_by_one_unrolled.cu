#include "kernels/triple_reduce/field_reduce.hpp"

namespace redbench {
namespace {

struct one_by_one_unrolled {
  static constexpr Card card{.title = "three reductions one after the other, several loads under way",
                             .source = "Luitjens 2014, \"Interleaving multiple reductions\"",
                             .order = Order::commutative,
                             .minimum_capability = 30,
                             .parameters = {{field_block, field_blocks, field_loads}}};

  template <class Op>
  static void run(Queue& queue, const TripleReduce<Op>& x) {
    reduce_triple_unrolled<1>(queue, x);
  }
};

}  // namespace
REDBENCH_VARIANT(TripleReduce, one_by_one_unrolled)
}  // namespace redbench
