#include "kernels/reduce/cub_modes.hpp"

namespace redbench {
namespace {

struct cub_not_guaranteed {
  static constexpr Card card{.title = "cub::DeviceReduce::Reduce, determinism not_guaranteed",
                             .source = "to compare with",
                             .order = Order::commutative,
                             .reproducible = Reproducible::exact,
                             .library_only = true};

  template <class Op>
  static constexpr std::string_view refuses() {
    return refuses_in_modes<Op>();
  }

  template <class Op>
  static void run([[maybe_unused]] Queue& queue, [[maybe_unused]] const Reduce<Op>& x) {
#if defined(REDBENCH_CUB_HAS_MODES)
    sum_in_mode(queue, x, ::cuda::execution::determinism::not_guaranteed);
#endif
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, cub_not_guaranteed)
}  // namespace redbench
