// The sequential multiscan (Eilers 2014, 5.3) in every thread: on a segment of the input and a set of buckets
// of its own, with the transposed fetch of Alg. 4.7.
#pragma once

#include "kernels/parts/transposed_fetch.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Arguments of a launch. `transposed`: results go out through shared memory, as inputs came in.
template <class Op>
struct SegmentScan {
  using T = typename Op::Value;
  const u32* labels;
  const T* values;
  Index n;
  ThreadSegments segments;
  T* result;
  bool inclusive, transposed;
};

/// Scans this thread's segment. bucket(label) is this thread's bucket of a label, the identity before the
/// first. All threads of the block call; `memory` has fetch_bytes.
template <class Op, int items, class Bucket>
__device__ __forceinline__ void scan_own_segment(const SegmentScan<Op>& x, void* memory,
                                                 const Bucket& bucket) {
  using T = typename Op::Value;
  const Op op;
  auto* const s_results = static_cast<T*>(memory);
  const Index length = x.segments.length;
  const Index segment = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  const int own = threadIdx.x * (items + 1);

  for (Index step = 0; step < length; step += items) {
    const Index first = Index(blockIdx.x) * blockDim.x * length + step, start = segment * length + step;
    const Index left = x.n - start;
    const int mine = left < 0 ? 0 : left < items ? int(left) : items;

    u32 label[items];
    T value[items];
    fetch_own<fetched_loads.fallback>(x.labels, first, length, x.n, mine, static_cast<u32*>(memory), label);
    fetch_own<fetched_loads.fallback>(x.values, first, length, x.n, mine, static_cast<T*>(memory), value);

    // The buckets hold the segment's reductions up to and with its k-th input, whose result is written.
#pragma unroll
    for (int k = 0; k < items; ++k) {
      if (k >= mine) continue;
      T& held = bucket(label[k]);
      const T before = held, after = op(before, value[k]);
      held = after;
      const T result = x.inclusive ? after : before;
      if (x.transposed) s_results[own + k] = result;
      else x.result[start + k] = result;
    }
    if (x.transposed) {
      __syncthreads();
      for (int i = threadIdx.x; i < items * int(blockDim.x); i += blockDim.x) {
        const Fetched<items> input(i, first, length);
        if (input.at < x.n) x.result[input.at] = s_results[input.place];
      }
      __syncthreads();
    }
  }
}

/// For Card::parameters.
inline constexpr Parameter write_transposed{
    "write",   1,
    0,         1,
    Step::one, "1: results go out as inputs came in, by shared memory; 0: at once. The text does not say"};

}  // namespace REDBENCH_TARGET
}  // namespace redbench
