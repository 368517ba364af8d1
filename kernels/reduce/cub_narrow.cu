#if defined(__CUDACC__)
#include <cub/device/device_reduce.cuh>
#endif

#include "kernels/parts/library_reduce.hpp"
#include "kernels/reduce/problem.hpp"

namespace redbench {
namespace {

struct cub_narrow {
  static constexpr Card card{.title = "cub::DeviceReduce::Reduce on values of 8 and 16 bits",
                             .source = "CUB, DeviceReduce: the first value's type is that of the sum",
                             .order = Order::commutative,
                             .narrow = true,
                             .library_only = true};

  template <class Op>
  static constexpr std::string_view refuses() {
    if (sizeof(typename Op::Value) <= 2) return {};
    return "it is cub for values of 8 and 16 bits; cub takes the others";
  }

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
#if defined(__CUDACC__)
    using Acc = OnResults<Op>;
    queue.library([=](void* temporary, std::size_t& bytes, void* stream) {
      return int(::cub::DeviceReduce::Reduce(temporary, bytes, x.values, x.result, x.n, Acc(),
                                             Acc::identity(), static_cast<cudaStream_t>(stream)));
    });
    queue.chain(cub_reduce_chain(x.n, queue.device().multiprocessors));
#endif
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, cub_narrow)
}  // namespace redbench
