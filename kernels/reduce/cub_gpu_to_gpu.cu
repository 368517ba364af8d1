#include "kernels/reduce/cub_modes.hpp"

namespace redbench {
namespace {

struct cub_gpu_to_gpu {
  static constexpr Card card{.title = "cub::DeviceReduce::Reduce, determinism gpu_to_gpu",
                             .source = "to compare with",
                             .order = Order::commutative,
                             .library_only = true};

  template <class Op>
  static constexpr std::string_view refuses() {
    if (std::is_integral_v<typename Op::Value>) return "of integers it is CUB's default, which is reduce/cub";
    return refuses_in_modes<Op>();
  }

  template <class Op>
  static void run([[maybe_unused]] Queue& queue, [[maybe_unused]] const Reduce<Op>& x) {
#if defined(REDBENCH_CUB_HAS_MODES)
    if constexpr (std::is_floating_point_v<typename Op::Value>)
      sum_in_mode(queue, x, ::cuda::execution::determinism::gpu_to_gpu);
#endif
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, cub_gpu_to_gpu)
}  // namespace redbench
