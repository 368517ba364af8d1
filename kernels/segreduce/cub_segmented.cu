#if defined(__CUDACC__)
#include <cub/device/device_segmented_reduce.cuh>
#endif

#include "kernels/parts/chains.hpp"
#include "kernels/parts/library_pairs.hpp"
#include "kernels/segreduce/problem.hpp"

namespace redbench {
namespace {

struct cub_segmented {
  static constexpr Card card{.title = "cub::DeviceSegmentedReduce::Reduce, a block per segment",
                             .source = "CUB's documentation, which asks for a commutative operator",
                             .order = Order::commutative,
                             .library_only = true};

  template <class Op>
  static constexpr std::string_view refuses() {
    return library_refuses<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const SegReduce<Op>& x) {
#if defined(__CUDACC__)
    x.needs_offsets(queue);
    queue.library([=](void* temporary, std::size_t& bytes, void* stream) {
      return int(::cub::DeviceSegmentedReduce::Reduce(temporary, bytes, x.values, x.result, x.m, x.offsets,
                                                      x.offsets + 1, Op(), Op::identity(),
                                                      static_cast<cudaStream_t>(stream)));
    });
    queue.chain(cub_segmented_chain(x.n));
#endif
  }
};

}  // namespace
REDBENCH_VARIANT(SegReduce, cub_segmented)
}  // namespace redbench
