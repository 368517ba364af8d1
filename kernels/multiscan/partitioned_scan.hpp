// The partitioning scheme of multiscans (Eilers 2014, Alg. 5.2): the input is cut into segments of equal
// length, each with a set of m buckets. Once each segment is scanned on its own and its buckets hold its
// reductions, the buckets of each label are scanned over the segments, and what comes before a segment is put
// before its results.
//
// Sets are stored by label: bucket l of segment s is at l * segments + s.
#pragma once

#include <algorithm>
#include <bit>

#include "kernels/multiscan/problem.hpp"
#include "kernels/parts/block_scan.hpp"
#include "kernels/parts/chains.hpp"
#include "kernels/parts/transposed_fetch.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Threads of the blocks of the last two phases, at most.
inline constexpr int scan_block = 256;
/// Buckets of a label that a thread scans by itself at a time.
inline constexpr int own_buckets = 8;

/// Lane i of each `lanes` neighbours, a power of two up to a warp, returns the reduction of the values of
/// lanes 0 to i - 1, lane 0 the identity. Whole warps call.
template <class Op>
__device__ typename Op::Value lanes_exclusive_scan(typename Op::Value value, int lanes) {
  const int lane = int(threadIdx.x) % lanes;
  for (int offset = 1; offset < lanes; offset *= 2) {
    const auto before = shuffle_up(full_mask, value, offset);
    if (lane >= offset) value = Op()(before, value);
  }
  const auto exclusive = shuffle_up(full_mask, value, 1);
  return lane == 0 ? Op::identity() : exclusive;
}

/// `lanes` threads for each label: up to a warp, with own_buckets for all of the segments, or the block.
/// Buckets come and go through dynamic shared memory of fetch_bytes, neighbouring threads at neighbouring
/// buckets.
template <class Op>
__global__ void scan_buckets_kernel(const typename Op::Value* buckets, Index m, Index segments, int lanes,
                                    typename Op::Value* before) {
  using T = typename Op::Value;
  const Op op;
  auto* const s = dynamic_shared<T>();
  const int t = threadIdx.x, lane = t % lanes;
  T* const own = s + t * (own_buckets + 1);
  const Index label = Index(blockIdx.x) * (int(blockDim.x) / lanes) + t / lanes;

  T carry = Op::identity();
  for (Index first = 0; first < segments; first += lanes * own_buckets) {
    const int most = lanes * own_buckets, left = segments - first < most ? int(segments - first) : most;
    const int count = label < m ? left : 0;
    const auto each_bucket = [&](const auto& visit) {
      for (int k = lane; k < count; k += lanes)
        visit((t - lane) * (own_buckets + 1) + k + k / own_buckets, label * segments + first + k);
    };
    each_bucket([&](int place, Index at) { s[place] = buckets[at]; });
    __syncthreads();

    // own[k] holds this thread's k-th bucket, then what comes before it of the thread's.
    const int mine = count - lane * own_buckets;
    T total = Op::identity();
#pragma unroll
    for (int k = 0; k < own_buckets; ++k) {
      if (k >= mine) continue;
      const T bucket = own[k];
      own[k] = total;
      total = op(total, bucket);
    }

    T of_label = Op::identity();
    const T of_lanes = lanes > warp_size ? block_exclusive_scan<Op>(total, of_label)
                                         : lanes_exclusive_scan<Op>(total, lanes);
    const T of_earlier = op(carry, of_lanes);
    carry = op(carry, of_label);
#pragma unroll
    for (int k = 0; k < own_buckets; ++k)
      if (k < mine) own[k] = op(of_earlier, own[k]);
    __syncthreads();
    each_bucket([&](int place, Index at) { before[at] = s[place]; });
    __syncthreads();
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
  using T = typename Op::Value;
  const double bytes = double(m) * double(segments) * sizeof(T);
  const Index needed = ceil_div(segments, own_buckets);
  const Index lanes = needed <= warp_size
                          ? Index(std::bit_ceil(std::uint64_t(needed)))
                          : std::min<Index>(scan_block, warp_size * ceil_div(needed, warp_size));
  const Index threads =
      lanes > warp_size ? lanes : std::min<Index>(scan_block, warp_size * ceil_div(m * lanes, warp_size));
  launch(queue,
         {.blocks = ceil_div(m, threads / lanes),
          .threads = int(threads),
          .shared_bytes = fetch_bytes<T>(threads, own_buckets),
          .bytes_read = bytes,
          .bytes_written = bytes},
         scan_buckets_kernel<Op>, buckets, m, segments, int(lanes), before);
}

/// Third phase: what comes before segment i / length goes before result i.
template <class Op>
void put_before(Queue& queue, const Multiscan<Op>& x, Index segments, Index length,
                const typename Op::Value* before) {
  using T = typename Op::Value;
  const bool shared = x.m < many_labels;
  launch(queue,
         {.blocks = segments,
          .threads = int(std::min<Index>(scan_block, warp_size * ceil_div(length, warp_size))),
          .shared_bytes = shared ? std::size_t(x.m) * sizeof(T) : 0,
          .bytes_read = x.input_bytes() + double(shared ? x.m * segments : x.n) * sizeof(T),
          .bytes_written = x.result_bytes()},
         put_before_kernel<Op>, x.labels, x.n, x.m, length, before, segments, x.result);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
