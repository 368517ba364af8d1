// A segment of the input and a table in shared memory for each thread, as in the sequential algorithms of
// Eilers 2014 (4.3.6, 5.3): plain updates in input order, of any operator, without a conflict between lanes.
// What keeps them fed: a warp has the next chunks of 128 bytes of values of each of its segments under way in
// registers while it goes through those before, and hands them to their lanes through a corner of shared memory of
// its own, labels as bytes.
#pragma once

#include <algorithm>
#include <string>

#include "kernels/parts/block_scan.hpp"
#include "kernels/parts/load_vector.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// Labels are handed on as bytes.
inline constexpr Index most_lane_labels = 256;
/// 8 warps leave 255 registers to a thread, of which two chunks take half.
inline constexpr int most_lane_warps = 8, most_lane_threads = most_lane_warps * warp_size;

/// A chunk: `items` inputs of each segment, in vectors of 4. Rows of a lane are padded so that lanes, each in
/// its own, are on different banks.
template <class T>
struct LaneChunk {
  static constexpr int items = 128 / sizeof(T), vectors = items / 4;
  static constexpr int value_stride = items + 16 / sizeof(T), label_stride = vectors + 1;
  static constexpr std::size_t bytes_of_lane = value_stride * sizeof(T) + label_stride * sizeof(u32);
};

/// Segments of `length` inputs, a multiple of the chunks under way at once: lane l of warp w of block b has number l * warps + w of
/// the block's, so that the segments of a lane of all warps follow each other.
template <class Op>
struct LaneSegments {
  using T = typename Op::Value;
  using Chunk = LaneChunk<T>;

  const u32* labels;
  const T* values;
  Index n, length;
  int m;

  __host__ __device__ int chunks() const { return int(length / Chunk::items); }
  __device__ T* table() const { return dynamic_shared<T>(); }  // bucket of a label: [label][thread]
  __device__ T& bucket(u32 label) const { return table()[label * blockDim.x + threadIdx.x]; }
  /// Shared memory for the block's use between two walks over the input: m values and those of a join.
  __device__ T* between() const { return table() + Index(m) * blockDim.x; }
};

/// A walk over a warp's segments, `ahead` chunks of each under way at once: a segment's next lines of memory are
/// asked for together.
template <class Op, int ahead>
class LaneWalk {
 public:
  using T = typename Op::Value;
  using Chunk = LaneChunk<T>;

  __device__ explicit LaneWalk(const LaneSegments<Op>& x)
      : x_(x), lane_(threadIdx.x % warp_size), warps_(int(blockDim.x) / warp_size) {
    const int warp = threadIdx.x / warp_size;
    auto* const corner =
        reinterpret_cast<unsigned char*>(x.between()) + warp * warp_size * Chunk::bytes_of_lane;
    staged_values_ = reinterpret_cast<T*>(corner);
    staged_labels_ = reinterpret_cast<u32*>(staged_values_ + warp_size * Chunk::value_stride);
    const Index block = Index(blockIdx.x) * blockDim.x;
    first_ = (block + (lane_ / Chunk::vectors) * warps_ + warp) * x.length + lane_ % Chunk::vectors * 4;
    inside_ = (block + blockDim.x) * x.length <= x.n;
  }

  /// visit(chunk) for all chunks of the segments, in order or from the last to the first, with their rows staged.
  template <bool backwards, class Visit>
  __device__ __forceinline__ void for_chunks(const Visit& visit) {
    const int groups = x_.chunks() / ahead;
    const auto first_of = [=](int group) { return (backwards ? groups - 1 - group : group) * ahead; };
    fetch(first_of(0));
#pragma unroll 1
    for (int group = 0; group < groups; ++group) {
#pragma unroll
      for (int step = 0; step < ahead; ++step) {
        const int c = backwards ? ahead - 1 - step : step;
        stage(c);
        if (step + 1 == ahead && group + 1 < groups) fetch(first_of(group + 1));
        visit(first_of(group) + c);
      }
    }
  }

  /// update(bucket, value) for the inputs of the lane's row, in order or from the last to the first; what it
  /// leaves in `value` stays in the row.
  template <bool backwards, bool keep, class Update>
  __device__ __forceinline__ void for_row(const Update& update) {
    // All labels, and the values of the next step, are read before an update, which nvcc does not move them past.
    u32 labels[Chunk::vectors];
#pragma unroll
    for (int j = 0; j < Chunk::vectors; ++j) labels[j] = staged_labels_[lane_ * Chunk::label_stride + j];
    const auto vector_of = [](int step) { return backwards ? Chunk::vectors - 1 - step : step; };
    Vector<T, 4> next = staged(lane_, vector_of(0));
#pragma unroll
    for (int step = 0; step < Chunk::vectors; ++step) {
      Vector<T, 4> value = next;
      if (step + 1 < Chunk::vectors) next = staged(lane_, vector_of(step + 1));
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int k = backwards ? 3 - i : i;
        update(x_.bucket(labels[vector_of(step)] >> 8 * k & 0xff), value.element[k]);
      }
      if (keep) staged(lane_, vector_of(step)) = value;
    }
  }

  /// Writes the rows to where their chunk is of `result`.
  __device__ __forceinline__ void store(int chunk, T* result) {
    __syncwarp();
#pragma unroll
    for (int k = 0; k < Chunk::vectors; ++k) {
      const Index at = place(chunk, k);
      const Vector<T, 4> value = staged(segment(k), vector());
      if (inside_) {
        *reinterpret_cast<Vector<T, 4>*>(result + at) = value;
      } else {
#pragma unroll
        for (int j = 0; j < 4; ++j)
          if (at + j < x_.n) result[at + j] = value.element[j];
      }
    }
  }

 private:
  // Asks for chunks first, first + 1, ...; past the end of the input come identities of label 0.
  __device__ __forceinline__ void fetch(int first) {
    if (inside_) {
#pragma unroll
      for (int c = 0; c < ahead; ++c)
#pragma unroll
        for (int k = 0; k < Chunk::vectors; ++k) {
          label_[c][k] = load_vector<4>(x_.labels + place(first + c, k), 0);
          value_[c][k] = load_vector<4>(x_.values + place(first + c, k), 0);
        }
    } else {
#pragma unroll
      for (int c = 0; c < ahead; ++c)
#pragma unroll
        for (int k = 0; k < Chunk::vectors; ++k)
#pragma unroll
          for (int j = 0; j < 4; ++j) {
            const Index at = place(first + c, k) + j;
            label_[c][k].element[j] = at < x_.n ? x_.labels[at] : 0;
            value_[c][k].element[j] = at < x_.n ? x_.values[at] : Op::identity();
          }
    }
  }

  // Hands chunk c of those that were fetched to the lanes of its segments.
  __device__ __forceinline__ void stage(int c) {
    __syncwarp();
#pragma unroll
    for (int k = 0; k < Chunk::vectors; ++k) {
      const u32(&label)[4] = label_[c][k].element;
      staged_labels_[segment(k) * Chunk::label_stride + vector()] =
          label[0] | label[1] << 8 | label[2] << 16 | label[3] << 24;
      staged(segment(k), vector()) = value_[c][k];
    }
    __syncwarp();
  }

  // Vector k of this lane is vector() of a row of the segment of lane segment(k).
  static constexpr int segments_at_once = warp_size / Chunk::vectors;
  __device__ int segment(int k) const { return k * segments_at_once + lane_ / Chunk::vectors; }
  __device__ int vector() const { return lane_ % Chunk::vectors; }
  __device__ Index place(int chunk, int k) const {
    return first_ + k * (segments_at_once * warps_ * x_.length) + chunk * Chunk::items;
  }
  __device__ Vector<T, 4>& staged(int segment, int vector) const {
    return reinterpret_cast<Vector<T, 4>*>(staged_values_ + segment * Chunk::value_stride)[vector];
  }

  const LaneSegments<Op>& x_;
  int lane_, warps_;
  bool inside_;
  Index first_;
  T* staged_values_;
  u32* staged_labels_;
  Vector<u32, 4> label_[ahead][Chunk::vectors];
  Vector<T, 4> value_[ahead][Chunk::vectors];
};

/// bucket(label) = the reduction of the thread's segment. From the last chunk to the first, so that what the L2
/// still has of the segments afterwards is their beginning.
template <class Op, int ahead>
__device__ __forceinline__ void reduce_segments(const LaneSegments<Op>& x) {
  for (int l = 0; l < x.m; ++l) x.bucket(l) = Op::identity();
  LaneWalk<Op, ahead> walk(x);
  walk.template for_chunks<true>([&](int) {
    walk.template for_row<true, false>([](auto& bucket, auto value) { bucket = Op()(value, bucket); });
  });
}

/// take(label, total) by lane 0 of a warp for each label, total being the reduction of its buckets in the order of
/// the segments; `scanned`: each bucket becomes the reduction of those before it. Barriers before and after are the
/// caller's.
template <class Op, bool scanned, class Take>
__device__ __forceinline__ void total_buckets(const LaneSegments<Op>& x, const Take& take) {
  using T = typename Op::Value;
  const Op op;
  const int lane = threadIdx.x % warp_size, threads = blockDim.x, warps = threads / warp_size;
#pragma unroll 2
  for (int l = threadIdx.x / warp_size; l < x.m; l += warps) {
    T* const own = x.table() + l * threads + lane;
    T total = Op::identity();
    for (int w = 0; w < warps; ++w) total = op(total, own[w * warp_size]);
    const T inclusive = warp_inclusive_scan<Op>(total);
    if (scanned) {
      T before = shuffle_up(full_mask, inclusive, 1);
      if (lane == 0) before = Op::identity();
      for (int w = 0; w < warps; ++w) {
        const T bucket = own[w * warp_size];
        own[w * warp_size] = before;
        before = op(before, bucket);
      }
    }
    const T all = shuffle(full_mask, inclusive, warp_size - 1);
    if (lane == 0) take(l, all);
  }
}

/// Warps of a block, its shared memory, the length of a segment and the blocks that there are.
struct LaneShape {
  Index warps, length, blocks;
  std::size_t shared_bytes;
};
inline constexpr Parameter lane_warps{
    "warps", 0, 0, most_lane_warps, Step::one, "of a block, one on each multiprocessor; 0: as many as fit"};

inline constexpr Parameter lane_ahead{
    "ahead",   2,
    1,         2,
    Step::one, "chunks of a segment under way at once: two neighbouring lines of memory; tuned on an H200"};

template <class T>
LaneShape lane_shape(const Queue& queue, Index n, Index m) {
  const std::size_t most = queue.device().shared_bytes_per_block;
  const std::size_t of_warp = warp_size * (std::size_t(m) * sizeof(T) + LaneChunk<T>::bytes_of_lane);
  const Index fit = std::min<Index>(Index(most / of_warp), most_lane_warps), asked = queue.parameter("warps");
  const Index warps = asked > 0 ? asked : fit;
  if (warps == 0 || warps > fit)
    queue.refuse("a warp's tables take " + std::to_string(of_warp) + " bytes, a block has " +
                 std::to_string(most) + " of shared memory");
  const Index threads = warps * warp_size, items = LaneChunk<T>::items * queue.parameter("ahead");
  const Index length =
      items * std::max<Index>(1, ceil_div(n, items * threads * queue.device().multiprocessors));
  return {warps, length, std::max<Index>(1, ceil_div(n, length * threads)), std::size_t(warps) * of_warp};
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
