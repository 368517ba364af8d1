#if defined(__CUDACC__)
#include <thrust/iterator/zip_iterator.h>
#include <thrust/tuple.h>
#include <cub/device/device_partition.cuh>
#endif

#include "kernels/multisplit/problem.hpp"

namespace redbench {
namespace {

#if defined(__CUDACC__)
/// Whether a key, or the key of a pair, is in the first bucket.
struct InFirstBucket {
  int shift;
  __device__ bool operator()(u32 key) const { return key >> shift == 0; }
  __device__ bool operator()(const ::thrust::tuple<u32, u32>& pair) const {
    return (*this)(::thrust::get<0>(pair));
  }
};

constexpr int reversing_threads = 256;

/// Reverses keys, and values where there are, behind the first *count.
__global__ void __launch_bounds__(reversing_threads)
    reverse_rest(u32* keys, u32* values, const Index* count, Index n) {
  const Index i = Index(blockIdx.x) * reversing_threads + threadIdx.x, first = *count + i, last = n - 1 - i;
  if (first >= last) return;
  const auto swap = [=](u32* array) {
    const u32 one = array[first];
    array[first] = array[last];
    array[last] = one;
  };
  swap(keys);
  if (values != nullptr) swap(values);
}
#endif

struct cub_partition {
  static constexpr Card card{
      .title =
          "cub::DevicePartition::If, and a launch that reverses the second bucket, which it leaves from last to first",
      .source = "the library",
      .order = Order::any,
      .maximum_n = most_of_32_bits,
      .maximum_m = 2,
      .library_only = true};

  template <class Op>
  static void run(Queue& queue, const Multisplit<Op>& x) {
#if defined(__CUDACC__)
    if (x.n == 0) return;
    Index* const count = queue.scratch<Index>(1);
    queue.library([=](void* temporary, std::size_t& bytes, void* on) {
      const auto stream = static_cast<cudaStream_t>(on);
      const auto partition = [&](auto in, auto out) {
        return int(::cub::DevicePartition::If(temporary, bytes, in, out, count, x.n, InFirstBucket{x.shift},
                                              stream));
      };
      if (!x.pairs) return partition(x.keys, x.result);
      return partition(::thrust::make_zip_iterator(x.keys, x.values),
                       ::thrust::make_zip_iterator(x.result, x.result_values()));
    });
    // The second bucket may be all of the input.
    launch(queue,
           {.blocks = ceil_div(x.n, 2 * reversing_threads),
            .threads = reversing_threads,
            .bytes_read = x.input_bytes() / 2,
            .bytes_written = x.input_bytes() / 2},
           reverse_rest, x.result, x.pairs ? x.result_values() : nullptr, count, x.n);
#endif
  }
};

}  // namespace
REDBENCH_VARIANT(Multisplit, cub_partition)
}  // namespace redbench
