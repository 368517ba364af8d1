#include "kernels/reduce/shuffle_reduce.hpp"

namespace redbench {
namespace {

struct shuffle_warp_atomic_vec2 {
  static constexpr Card card{.title = "shuffle within warps, an atomic per warp, two values per load",
                             .source = "Luitjens 2014, \"Atomic power\"; vectorised version",
                             .order = Order::commutative,
                             .reproducible = Reproducible::exact,
                             .minimum_capability = 30,
                             .maximum_n = most_of_32_bits,
                             .parameters = {{atomic_block, atomic_blocks}}};

  template <class Op>
  static constexpr std::string_view refuses() {
    return no_atomic_combine<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    shuffle_warp_atomic_run<AsListed<2>>(queue, x);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, shuffle_warp_atomic_vec2)
}  // namespace redbench
