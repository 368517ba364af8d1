#include "kernels/reduce/shuffle_reduce.hpp"

namespace redbench {
namespace {

struct shuffle_warp_atomic_unrolled {
  static constexpr Card card{.title = "shuffle within warps, an atomic per warp, several loads under way",
                             .source = "Luitjens 2014, \"Atomic power\"",
                             .order = Order::commutative,
                             .reproducible = Reproducible::exact,
                             .minimum_capability = 30,
                             .parameters = {{atomic_block, atomic_blocks, unrolled_loads}}};

  template <class Op>
  static constexpr std::string_view refuses() {
    return no_atomic_combine<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    with_unrolled(queue, [&](auto share) { shuffle_warp_atomic_run<decltype(share)>(queue, x); });
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, shuffle_warp_atomic_unrolled)
}  // namespace redbench
