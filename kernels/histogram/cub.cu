#if defined(__CUDACC__)
#include <cub/device/device_histogram.cuh>
#endif

#include <limits>

#include "kernels/histogram/problem.hpp"

namespace redbench {
namespace {

struct cub {
  static constexpr Card card{
      .title = "cub::DeviceHistogram::HistogramEven, a bin of width 1 for each label",
      .source = "to compare with",
      .order = Order::commutative,
      .maximum_m = (Index(1) << 31) - 2,  // counts levels, one more than bins, by an int
      .library_only = true};

  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
#if defined(__CUDACC__)
    // A level is a label or m: bytes need a wider type.
    using Level = std::conditional_t<sizeof(typename Op::Value) == 1, int, u32>;
    const auto histogram = [=](void* temporary, std::size_t& bytes, void* stream) {
      return int(::cub::DeviceHistogram::HistogramEven(temporary, bytes, x.labels, x.result, int(x.m + 1),
                                                       Level(0), Level(x.m), x.n,
                                                       static_cast<cudaStream_t>(stream)));
    };
    // Each block has counters of its own there, and finds them by an int
    // (cub/agent/agent_histogram.cuh, 13.0).
    if (queue.library_bytes(histogram) / sizeof(u32) > std::size_t(std::numeric_limits<int>::max()))
      queue.refuse("its blocks' counters are 2^31 or more together: CUB 13.0 counts them by an int");
    queue.library(histogram);
#endif
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, cub)
}  // namespace redbench
