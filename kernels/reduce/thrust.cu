#if defined(__CUDACC__)
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

#include <cub/device/device_reduce.cuh>
#endif

#include "kernels/parts/library_pairs.hpp"
#include "kernels/parts/library_reduce.hpp"
#include "kernels/reduce/problem.hpp"

namespace redbench {
namespace {

struct thrust {
  static constexpr Card card{.title = "thrust::reduce",
                             .source = "Luitjens 2014, \"The CUB library\"",
                             .order = Order::commutative,
                             .reproducible = Reproducible::exact,
                             .library_only = true,
                             .synchronizes = true};

  template <class Op>
  static constexpr std::string_view refuses() {
    return library_refuses<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
#if defined(__CUDACC__)
    queue.library([=](void* temporary, std::size_t& bytes, void* stream_handle) {
      const auto stream = static_cast<cudaStream_t>(stream_handle);
      if (temporary == nullptr) {
        // Upper bound of what Thrust asks for: CUB's memory with a choice of tiles of its own, and the
        // result.
        const auto error = ::cub::DeviceReduce::Reduce(nullptr, bytes, x.values, x.result, x.n, Op(),
                                                       Op::identity(), stream);
        bytes = 2 * bytes + (1 << 20);
        return int(error);
      }
      ScratchAllocator scratch(temporary, bytes);
      // The result is a value on the host, which the harness wants on the device.
      const auto result = ::thrust::reduce(::thrust::cuda::par_nosync(scratch).on(stream), x.values,
                                           x.values + x.n, Op::identity(), Op());
      return int(cudaMemcpyAsync(x.result, &result, sizeof(result), cudaMemcpyHostToDevice, stream));
    });
    queue.chain(cub_reduce_chain(x.n, queue.device().multiprocessors));
#endif
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, thrust)
}  // namespace redbench
