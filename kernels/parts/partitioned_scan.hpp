// The partitioning scheme of multiscans (Eilers 2014, Alg. 5.2): the input is cut into segments of equal
// length, each with a set of m buckets. Once each segment is scanned on its own and its buckets hold its
// reductions, the buckets of each label are scanned over the segments, and what comes before a segment is put
// before its results.
//
// Sets are stored by label: bucket l of segment s is at l * segments + s.
#pragma once

#include <algorithm>

#include "kernels/multiscan/problem.hpp"
#include "kernels/parts/block_scan.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Threads of the blocks of the last two phases, at most.
inline constexpr int scan_block = 256;

/// A block for each label.
template <class Op>
__global__ void scan_buckets_kernel(const typename Op::Value* buckets, Index segments,
                                    typename Op::Value* before) {
  const Op op;
  const Index label = Index(blockIdx.x) * segments;
  auto carry = Op::identity();
  for (Index first = 0; first < segments; first += blockDim.x) {
    const Index s = first + threadIdx.x;
    auto total = Op::identity();
    const auto scanned = block_exclusive_scan<Op>(s < segments ? buckets[label + s] : Op::identity(), total);
    if (s < segments) before[label + s] = op(carry, scanned);
    carry = op(carry, total);
  }
}

/// Fewest labels for which a block reads what comes before its segment for each input, not once for each
/// label (Eilers 2014, 5.2).
inline constexpr Index many_labels = 1 << 10;

/// A block for each segment.
template <class Op>
__global__ void put_before_kernel(const u32* labels, Index n, Index m, Index length,
                                  const typename Op::Value* before, Index segments,
                                  typename Op::Value* result) {
  const Op op;
  auto* const s_before = dynamic_shared<typename Op::Value>();
  const Index segment = blockIdx.x, first = segment * length;
  const Index end = first + length < n ? first + length : n;

  // s_before[l] holds what comes before the segment, of a few labels.
  if (m < many_labels) {
    for (Index l = threadIdx.x; l < m; l += blockDim.x) s_before[l] = before[l * segments + segment];
    __syncthreads();
  }
  for (Index i = first + threadIdx.x; i < end; i += blockDim.x) {
    const Index l = labels[i];
    result[i] = op(m < many_labels ? s_before[l] : before[l * segments + segment], result[i]);
  }
}

/// Second phase: before[l][s] = the reduction of buckets[l][0..s).
template <class Op>
void scan_buckets(Queue& queue, Index m, Index segments, const typename Op::Value* buckets,
                  typename Op::Value* before) {
  const double bytes = double(m) * double(segments) * sizeof(typename Op::Value);
  const int threads = int(std::min<Index>(scan_block, warp_size * ceil_div(segments, warp_size)));
  launch(queue, {.blocks = m, .threads = threads, .bytes_read = bytes, .bytes_written = bytes},
         scan_buckets_kernel<Op>, buckets, segments, before);
}

/// Third phase: what comes before segment i / length goes before result i.
template <class Op>
void put_before(Queue& queue, const Multiscan<Op>& x, Index segments, Index length,
                const typename Op::Value* before) {
  using T = typename Op::Value;
  const bool shared = x.m < many_labels;
  launch(queue,
         {.blocks = segments,
          .threads = scan_block,
          .shared_bytes = shared ? std::size_t(x.m) * sizeof(T) : 0,
          .bytes_read =
              double(x.n) * (sizeof(u32) + sizeof(T)) + double(shared ? x.m * segments : x.n) * sizeof(T),
          .bytes_written = double(x.n) * sizeof(T)},
         put_before_kernel<Op>, x.labels, x.n, x.m, length, before, segments, x.result);
}

/// Longest chain of operations of the two.
inline Index partitioned_scan_chain(Index segments) {
  return ceil_div(segments, scan_block) + block_scan_chain + 2;
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
