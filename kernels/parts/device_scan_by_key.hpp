// Scan by key of the whole device: on a GPU a call of CUB, on the modelled device a plain loop on the CPU
// (kernels/parts/device_sort.hpp).
#pragma once

#if defined(__CUDACC__)
#include <cub/device/device_scan.cuh>
#include <cuda/std/functional>
#endif

#include "kernels/variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// out[i] = the reduction of the values before i in i's run of equal keys, the identity where i is the first.
/// `in` and `out` are pointers or, on a GPU, other iterators.
template <class Op, class In, class Out>
void exclusive_scan_by_key(Queue& queue, const u32* keys, In in, Out out, Index n) {
#if defined(__CUDACC__)
  queue.library([=](void* temporary, std::size_t& bytes, void* stream) {
    return int(::cub::DeviceScan::ExclusiveScanByKey(temporary, bytes, keys, in, out, Op(), Op::identity(), n,
                                                     ::cuda::std::equal_to<>(),
                                                     static_cast<cudaStream_t>(stream)));
  });
#else
  const auto scan = [=] {
    auto before = Op::identity();
    for (Index i = 0; i < n; ++i) {
      if (i > 0 && keys[i] != keys[i - 1]) before = Op::identity();
      const auto value = in[i];
      out[i] = before;
      before = Op()(before, value);
    }
  };
  queue.on_host(scan);
#endif
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
