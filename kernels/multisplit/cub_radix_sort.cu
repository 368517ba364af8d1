#if defined(__CUDACC__)
#include <cub/device/device_radix_sort.cuh>
#endif

#include "kernels/multisplit/problem.hpp"

namespace redbench {
namespace {

struct cub_radix_sort {
  static constexpr Card card{.title = "cub::DeviceRadixSort::SortKeys or SortPairs by the bits of a bucket",
                             .source = "the library",
                             .order = Order::any,
                             .maximum_n = most_of_32_bits,
                             .library_only = true};

  template <class Op>
  static void run(Queue& queue, const Multisplit<Op>& x) {
#if defined(__CUDACC__)
    if (x.n == 0) return;
    queue.library([=](void* temporary, std::size_t& bytes, void* on) {
      const auto stream = static_cast<cudaStream_t>(on);
      using Sort = ::cub::DeviceRadixSort;
      if (!x.pairs) return int(Sort::SortKeys(temporary, bytes, x.keys, x.result, x.n, x.shift, 32, stream));
      return int(Sort::SortPairs(temporary, bytes, x.keys, x.result, x.values, x.result_values(), x.n,
                                 x.shift, 32, stream));
    });
#endif
  }
};

}  // namespace
REDBENCH_VARIANT(Multisplit, cub_radix_sort)
}  // namespace redbench
