// The end of the partitioning scheme of multireduces (Eilers 2014, 4.2): partial results of a label, one from
// each set of buckets, become its result, in the order of the sets.
//
// Sets are stored by label: bucket l of set s is at l * sets + s (sets: stored_sets), with sets in input order where order
// matters. The thesis calls Modern GPU's segmented reduction here, for segments of equal length; so does this
// kernel of our own without flags, as the length is known.
#pragma once

#include <algorithm>
#include <bit>

#include "kernels/parts/chains.hpp"
#include "kernels/parts/fill.hpp"
#include "kernels/parts/grid_stride.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Upper bound of the chain of reduce_sets, in runs of up to `run` sets, and those again. A
/// warp takes a run, 32 sets at a time or more: a step of an operation each, the tree over its lanes, and one
/// over a vector of up to 8 sets.
constexpr Index reduce_sets_chain(Index sets, Index run) {
  const Index length = ceil_div(std::min(sets, run), 32) + warp_reduce_chain + tree_chain(8);
  return sets > run ? length + reduce_sets_chain(ceil_div(sets, run), run) : length;
}

/// A label's sets are cut into runs, so that a few labels with many sets keep the whole GPU busy.
template <class T>
inline constexpr Index run_sets = 4096 / sizeof(T);
inline constexpr int reduce_runs_block = 256;

/// Vectors of `width` sets that a lane has in flight.
template <class T, int width>
inline constexpr int run_loads = sizeof(T) * width == 16 ? 4 : 8;

/// Runs of m labels of `sets` sets. A group of lanes takes a run, `steps` vectors a lane at a time, or, where
/// runs are shorter, several runs at once. Lanes and steps are powers of two.
struct SetRuns {
  Index m, sets, of_label;
  int lanes_log2, steps_log2;
};

/// value[k] of lane 0 of each group becomes the reduction of the group's value[k], for each k.
template <class Op, int count>
__device__ __forceinline__ void reduce_over_lanes(typename Op::Value (&value)[count], int lanes) {
  for (int offset = 1; offset < lanes; offset *= 2)
#pragma unroll
    for (int k = 0; k < count; ++k)
      value[k] = Op()(value[k], shuffle_down(full_mask, value[k], offset, lanes));
}

/// out[r] = the reduction of run r, in order; run r of all is run r % of_label of label r / of_label. Whole
/// warps; `sets` is a multiple of `width`.
template <class Op, int width>
__global__ void reduce_runs(const typename Op::Value* buckets, SetRuns runs, typename Op::Value* out) {
  using T = typename Op::Value;
  constexpr int loads = run_loads<T, width>;
  const Op op;
  const int lanes = 1 << runs.lanes_log2, steps = 1 << runs.steps_log2, groups = warp_size >> runs.lanes_log2;
  const int lane = threadIdx.x % warp_size & (lanes - 1), group = threadIdx.x % warp_size >> runs.lanes_log2;
  const Index warp = (Index(blockIdx.x) * blockDim.x + threadIdx.x) / warp_size;
  // The group's first run; its others follow `groups` apart, so that a warp reads neighbouring words.
  const Index run = (warp * loads >> runs.steps_log2) * groups + group, last = runs.m * runs.of_label - 1;
  const Index of_group = min(run, last);
  // Runs behind the group's first, as far as it may take them; below 0 where it has none.
  const int behind = int(max(Index(-1), min(last - run, Index(loads * warp_size))));
  const Index label = runs.of_label > 1 ? of_group / runs.of_label : of_group;
  const Index start = (of_group - label * runs.of_label) * run_sets<T>;
  const T* const in = buckets + label * runs.sets + start;
  const int vectors = int(min(runs.sets - start, run_sets<T>)) / width;

  auto reduction = Op::identity();
  for (int first = 0; first < vectors; first += loads * lanes) {
    Vector<T, width> vector[loads];
    T value[loads];
    const auto place = [=](int k) { return first + (k & (steps - 1)) * lanes + lane; };
    const auto skipped = [=](int k) { return (k >> runs.steps_log2) * groups; };
    // Past the last run and the last vector the last is read again, as a branch would wait for each load.
    // Without the barrier nvcc waits for the first before it asks for the others.
#pragma unroll
    for (int k = 0; k < loads; ++k)
      vector[k] =
          load_vector<width>(in, min(skipped(k), max(behind, 0)) * vectors + min(place(k), vectors - 1));
    __syncwarp();
#pragma unroll
    for (int k = 0; k < loads; ++k)
      value[k] = place(k) < vectors ? reduce_vector<Op, width>(vector[k].element) : Op::identity();
    reduce_over_lanes<Op>(value, lanes);
#pragma unroll
    for (int k = 0; k < loads; ++k) {
      reduction = op(reduction, value[k]);
      if ((k & (steps - 1)) < steps - 1 || first + loads * lanes < vectors) continue;
      if (lane == 0 && skipped(k) <= behind) out[run + skipped(k)] = reduction;
      reduction = Op::identity();
    }
  }
}

/// One launch of reduce_runs.
template <class Op, int width>
void launch_runs(Queue& queue, Index m, Index sets, Index of_label, const typename Op::Value* buckets,
                 typename Op::Value* out) {
  using T = typename Op::Value;
  constexpr Index loads = run_loads<T, width>;
  const auto log2_up = [](Index count) { return int(std::bit_width(std::uint64_t(count - 1))); };
  const Index vectors = std::min(sets, run_sets<T>) / width;
  const int lanes_log2 = log2_up(std::min<Index>(vectors, warp_size));
  const int steps_log2 = log2_up(std::min(ceil_div(vectors, Index(1) << lanes_log2), loads));
  const Index runs_of_block = reduce_runs_block * loads >> (lanes_log2 + steps_log2);
  launch(queue,
         {.blocks = ceil_div(m * of_label, runs_of_block),
          .threads = reduce_runs_block,
          .bytes_read = double(m) * double(sets) * sizeof(T),
          .bytes_written = double(m) * double(of_label) * sizeof(T)},
         reduce_runs<Op, width>, buckets, SetRuns{m, sets, of_label, lanes_log2, steps_log2}, out);
}

/// result[l] = the reduction of buckets[l * sets] to buckets[l * sets + sets - 1], sets > 0: of each run first,
/// then of what the runs of a label leave.
template <class Op>
void reduce_sets(Queue& queue, Index m, Index sets, const typename Op::Value* buckets,
                 typename Op::Value* result) {
  using T = typename Op::Value;
  constexpr int wide = 16 / sizeof(T);
  const Index of_label = ceil_div(sets, run_sets<T>);
  T* const out = of_label > 1 ? queue.scratch<T>(m * of_label) : result;
  if (sets % wide == 0) launch_runs<Op, wide>(queue, m, sets, of_label, buckets, out);
  else launch_runs<Op, 1>(queue, m, sets, of_label, buckets, out);
  if (of_label > 1) reduce_sets<Op>(queue, m, of_label, out, result);
}

/// Sets as they lie in memory: many are filled up by sets of the identity to whole vectors of 16 bytes.
template <class T>
REDBENCH_HOST_DEVICE constexpr Index stored_sets(Index sets) {
  constexpr Index wide = 16 / sizeof(T), many = 32;
  return sets < many ? sets : (sets + wide - 1) / wide * wide;
}

/// The set or sets that a variant combines inputs into: the result itself where there is one set.
template <class Op>
struct BucketSets {
  using T = typename Op::Value;

  /// Asks for the scratch memory of stored_sets(count), and sets all buckets to the identity.
  static BucketSets cleared(Queue& queue, Index m, Index count, T* result) {
    const Index sets = stored_sets<T>(count);
    const BucketSets all{m, sets, sets == 1 ? result : queue.scratch<T>(m * sets), result};
    fill(queue, all.buckets, m * sets, Op::identity());
    return all;
  }
  void reduce(Queue& queue) const {
    if (sets > 1) reduce_sets<Op>(queue, m, sets, buckets, result);
  }
  Index chain() const { return sets > 1 ? reduce_sets_chain(sets, run_sets<T>) : 0; }

  Index m, sets;
  T* buckets;  // [m * sets]
  T* result;   // [m]
};

}  // namespace REDBENCH_TARGET
}  // namespace redbench
