#include "kernels/triple_reduce/field_reduce.hpp"

namespace redbench {
namespace {

struct one_by_one {
  static constexpr Card card{.title = "three reductions one after the other",
                             .source = "Luitjens 2014, \"Interleaving multiple reductions\"",
                             .order = Order::commutative,
                             .minimum_capability = 30,
                             .maximum_n = most_of_32_bits,
                             .parameters = {{field_block, field_blocks}}};

  template <class Op>
  static void run(Queue& queue, const TripleReduce<Op>& x) {
    reduce_triple<1, 1>(queue, x);
  }
};

}  // namespace
REDBENCH_VARIANT(TripleReduce, one_by_one)
}  // namespace redbench
