#include "kernels/reduce/shuffle_reduce.hpp"

namespace redbench {
namespace {

struct shuffle_two_pass {
  static constexpr Card card{.title = "shuffle within warps and blocks, two launches",
                             .source = "Luitjens 2014, \"Reducing large arrays\"",
                             .order = Order::commutative,
                             .minimum_capability = 30,
                             .maximum_n = most_of_32_bits,
                             .parameters = {{two_pass_block, two_pass_blocks}}};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    shuffle_two_pass_run<AsListed<1>>(queue, x);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, shuffle_two_pass)
}  // namespace redbench
