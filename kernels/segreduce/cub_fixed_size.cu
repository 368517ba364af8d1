#if defined(__CUDACC__)
#include <cub/device/device_segmented_reduce.cuh>
#include <cub/version.cuh>
#if CUB_VERSION >= 300200
#define REDBENCH_CUB_HAS_FIXED_SIZE
#endif
#endif

#include <limits>

#include "kernels/parts/chains.hpp"
#include "kernels/parts/library_pairs.hpp"
#include "kernels/segreduce/one_length.hpp"

namespace redbench {
namespace {

/// CUB is given the length in place of the offsets: a thread, a warp or a block takes a segment, and several blocks one
/// that is longer than a tile (CCCL 3.5, dispatch_segmented_reduce.cuh).
struct cub_fixed_size {
  static constexpr Card card{.title = "cub::DeviceSegmentedReduce::Reduce for segments of one length",
                             .source = "CUB's documentation, which asks for a commutative operator",
                             .order = Order::commutative,
                             .library_only = true};

  template <class Op>
  static constexpr std::string_view refuses() {
#if defined(__CUDACC__) && !defined(REDBENCH_CUB_HAS_FIXED_SIZE)
    return "CUB takes the length of all segments from 3.2 on (cmake -DREDBENCH_CCCL=FOLDER)";
#else
    return library_refuses<Op>();
#endif
  }

  template <class Op>
  static void run(Queue& queue, const SegReduceOfOneLength<Op>& x) {
#if defined(REDBENCH_CUB_HAS_FIXED_SIZE)
    x.needs_one_length(queue);
    if (x.length > std::numeric_limits<int>::max())
      queue.refuse("takes segments of up to 2^31 - 1 values, not " + std::to_string(x.length));
    queue.library([=](void* temporary, std::size_t& bytes, void* stream) {
      return int(::cub::DeviceSegmentedReduce::Reduce(temporary, bytes, x.values, x.result, x.m,
                                                      int(x.length), Op(), Op::identity(),
                                                      static_cast<cudaStream_t>(stream)));
    });
    queue.chain(cub_segmented_chain(x.length));
#endif
  }
};

}  // namespace
REDBENCH_VARIANT(SegReduceOfOneLength, cub_fixed_size)
}  // namespace redbench
