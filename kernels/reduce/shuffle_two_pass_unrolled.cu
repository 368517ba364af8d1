#include "kernels/reduce/shuffle_reduce.hpp"

namespace redbench {
namespace {

struct shuffle_two_pass_unrolled {
  static constexpr Card card{
      .title = "shuffle within warps and blocks, two launches, several loads under way",
      .source = "Luitjens 2014, \"Reducing large arrays\"",
      .order = Order::commutative,
      .minimum_capability = 30,
      .parameters = {{two_pass_block, two_pass_blocks, unrolled_loads}}};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    with_unrolled(queue, [&](auto share) { shuffle_two_pass_run<decltype(share)>(queue, x); });
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, shuffle_two_pass_unrolled)
}  // namespace redbench
