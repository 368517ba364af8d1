// The end of the partitioning scheme of multireduces (Eilers 2014, 4.2): partial results of a label, one from
// each set of buckets, become its result, in the order of the sets.
//
// Sets are stored by label: bucket l of set s is at l * sets + s, with sets in input order where order
// matters. The thesis calls Modern GPU's segmented reduction here, for segments of equal length; so does this
// kernel of our own without flags, as the length is known.
#pragma once

#include "kernels/parts/chains.hpp"
#include "kernels/parts/fill.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

inline constexpr int reduce_sets_block = 256;
/// Most sets of which one group of lanes, at most a warp, takes a label; of more a block takes it.
inline constexpr Index most_sets_for_lanes = 256;

/// Lane 0 of a group of `lanes` (a power of two) returns the reduction of in[0..count), in order. All lanes
/// of the warp call, with equal counts.
template <class Op>
__device__ typename Op::Value reduce_run(const typename Op::Value* in, Index count, int lane, int lanes) {
  const Op op;
  auto reduction = Op::identity();
  for (Index first = 0; first < count; first += lanes) {
    auto value = first + lane < count ? in[first + lane] : Op::identity();
    for (int offset = 1; offset < lanes; offset *= 2)
      value = op(value, shuffle_down(full_mask, value, offset, lanes));
    reduction = op(reduction, value);
  }
  return reduction;
}

/// `lanes` neighbouring lanes for each label.
template <class Op>
__global__ void reduce_sets_by_lanes(const typename Op::Value* buckets, Index m, Index sets, int lanes,
                                     typename Op::Value* result) {
  const Index thread = Index(blockIdx.x) * blockDim.x + threadIdx.x;
  const Index label = thread / lanes, last = m - 1;
  const int lane = int(thread % lanes);
  const auto reduction = reduce_run<Op>(buckets + (label < last ? label : last) * sets, sets, lane, lanes);
  if (lane == 0 && label < m) result[label] = reduction;
}

/// A block for each label, and a run of its sets for each warp.
template <class Op>
__global__ void reduce_sets_by_block(const typename Op::Value* buckets, Index sets,
                                     typename Op::Value* result) {
  const Op op;
  __shared__ typename Op::Value of_warp[warp_size];
  const int lane = threadIdx.x % warp_size, warp = threadIdx.x / warp_size, warps = blockDim.x / warp_size;
  const Index run = (sets + warps - 1) / warps, first = warp * run, left = sets - first;
  const auto* const of_label = buckets + Index(blockIdx.x) * sets;
  const Index count = left < 0 ? 0 : left < run ? left : run;
  const auto reduction = reduce_run<Op>(of_label + (count > 0 ? first : 0), count, lane, warp_size);
  if (lane == 0) of_warp[warp] = reduction;
  __syncthreads();
  if (threadIdx.x > 0) return;
  auto all = of_warp[0];
  for (int w = 1; w < warps; ++w) all = op(all, of_warp[w]);
  result[blockIdx.x] = all;
}

/// result[l] = the reduction of buckets[l * sets] to buckets[l * sets + sets - 1].
template <class Op>
void reduce_sets(Queue& queue, Index m, Index sets, const typename Op::Value* buckets,
                 typename Op::Value* result) {
  using T = typename Op::Value;
  Grid grid{.blocks = m,
            .threads = reduce_sets_block,
            .bytes_read = double(m) * double(sets) * sizeof(T),
            .bytes_written = double(m) * sizeof(T)};
  if (sets > most_sets_for_lanes) return launch(queue, grid, reduce_sets_by_block<Op>, buckets, sets, result);
  int lanes = 1;
  while (lanes < sets && lanes < warp_size) lanes *= 2;
  grid.blocks = ceil_div(m * lanes, reduce_sets_block);
  launch(queue, grid, reduce_sets_by_lanes<Op>, buckets, m, sets, lanes, result);
}

/// The set or sets that a variant combines inputs into: the result itself where there is one set.
template <class Op>
struct BucketSets {
  using T = typename Op::Value;

  /// Asks for the scratch memory, and sets all buckets to the identity.
  static BucketSets cleared(Queue& queue, Index m, Index sets, T* result) {
    const BucketSets all{m, sets, sets == 1 ? result : queue.scratch<T>(m * sets), result};
    fill(queue, all.buckets, m * sets, Op::identity());
    return all;
  }
  void reduce(Queue& queue) const {
    if (sets > 1) reduce_sets<Op>(queue, m, sets, buckets, result);
  }
  Index chain() const { return sets > 1 ? reduce_sets_chain(sets) : 0; }

  Index m, sets;
  T* buckets;  // [m * sets]
  T* result;   // [m]
};

}  // namespace REDBENCH_TARGET
}  // namespace redbench
