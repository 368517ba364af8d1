#if defined(__CUDACC__)
#include <thrust/iterator/permutation_iterator.h>
#include <cub/device/device_scan.cuh>
#endif

#include "kernels/multiscan/problem.hpp"
#include "kernels/parts/device_scan_by_key.hpp"
#include "kernels/parts/device_sort.hpp"
#include "kernels/parts/library_pairs.hpp"
#include "kernels/parts/runs.hpp"

namespace redbench {
namespace {

#if defined(__CUDACC__)
__global__ void number_inputs(Index n, u32* index) {
  const Index i = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) index[i] = u32(i);
}

template <class Op, class In, class Out>
void inclusive_scan_by_key(Queue& queue, const u32* keys, In in, Out out, Index n) {
  queue.library([=](void* temporary, std::size_t& bytes, void* stream) {
    return int(::cub::DeviceScan::InclusiveScanByKey(temporary, bytes, keys, in, out, Op(), n,
                                                     ::cuda::std::equal_to<>(),
                                                     static_cast<cudaStream_t>(stream)));
  });
}
#endif

struct cub_sort_scan {
  static constexpr Card card{
      .title =
          "cub::DeviceRadixSort::SortPairs of labels and indices by all bits of a u32, then "
          "cub::DeviceScan::ExclusiveScanByKey through permutation iterators",
      .source = "not in the thesis: the library, by one who does not tell it m",
      .order = Order::any,
      .reproducible = Reproducible::exact,
      .maximum_n = most_of_32_bits,
      .library_only = true};

  template <class Op>
  static constexpr std::string_view refuses() {
    return library_refuses<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
#if defined(__CUDACC__)
    if (x.n == 0) return;
    constexpr int threads = 256;
    u32* const index = queue.scratch<u32>(x.n);
    launch(queue,
           {.blocks = ceil_div(x.n, threads), .threads = threads, .bytes_written = double(x.n) * sizeof(u32)},
           number_inputs, x.n, index);
    const auto sorted = stable_sort<u32>(queue, {x.labels, index}, x.n, 0, 32);
    const auto in = ::thrust::make_permutation_iterator(x.values, sorted.values);
    const auto out = ::thrust::make_permutation_iterator(x.result, sorted.values);
    if (x.inclusive) inclusive_scan_by_key<Op>(queue, sorted.labels, in, out, x.n);
    else exclusive_scan_by_key<Op>(queue, sorted.labels, in, out, x.n);
    queue.chain(by_key_chain(x.n));
#endif
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, cub_sort_scan)
}  // namespace redbench
