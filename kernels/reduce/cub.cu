#if defined(__CUDACC__)
#include <cub/device/device_reduce.cuh>
#endif

#include "kernels/parts/library_pairs.hpp"
#include "kernels/parts/library_reduce.hpp"
#include "kernels/reduce/problem.hpp"

namespace redbench {
namespace {

struct cub {
  static constexpr Card card{.title = "cub::DeviceReduce::Reduce",
                             .source = "Luitjens 2014, \"The CUB library\"",
                             .order = Order::commutative,
                             .library_only = true};

  template <class Op>
  static constexpr std::string_view refuses() {
    return library_refuses<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
#if defined(__CUDACC__)
    queue.library([=](void* temporary, std::size_t& bytes, void* stream) {
      return int(::cub::DeviceReduce::Reduce(temporary, bytes, x.values, x.result, x.n, Op(), Op::identity(),
                                             static_cast<cudaStream_t>(stream)));
    });
    queue.chain(cub_reduce_chain(x.n, queue.device().multiprocessors));
#endif
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, cub)
}  // namespace redbench
