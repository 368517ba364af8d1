// Sheffler's multiscan of a square of inputs by one block (Eilers 2014, 5.4): a tree of spine records for
// each label says where a row's inputs find the sum of the rows below.
//
// Thread t of T has column t or row t of a square of T x T nodes, one for each input, numbered row by row
// from the bottom; the record of label l's bucket is number T * T + l. A node's spine is a node of its label
// in the nearest row above that has one, the same for all of a row, or the bucket where there is none. So in
// a step of a row or a column no two threads change the same record, but for the spines of the buckets, of
// which any write may win.
//
// As published a node hands its spinesum on where its rowsum is not the identity, which is to say where it is
// a spine. But the values of a row may add up to the identity, and then what the spine had from below is
// lost. Mended, a node is marked where it won its row's write to the bucket: it is the spine of the next row
// below that has the label. (Below the lowest there is none, and the identity that it hands on changes
// nothing.) Which of the two is compiled into the kernel, so that each costs what it does alone: a mark is one
// more read of the bucket in each row.
#pragma once

#include <cstring>

#include "kernels/multiscan/partitioned_scan.hpp"
#include "kernels/parts/fill.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// 12 bytes where a value has 4 (5.4.2): `multisum` of Listing 5.1 is never used.
template <class T>
struct SpineRecord {
  T rowsum, spinesum;
  u32 spine;  // number of a record; in the highest bit, whether the node won its row
};
inline constexpr u32 won_its_row = 1u << 31;

/// One of several threads' stores of the same value.
template <class T>
__device__ __forceinline__ void store_same(T* address, T value) {
  u32 word[sizeof(T) / sizeof(u32)];
  memcpy(word, &value, sizeof(T));
#pragma unroll
  for (unsigned w = 0; w < sizeof(T) / sizeof(u32); ++w)
    relaxed_store(reinterpret_cast<u32*>(address) + w, word[w]);
}

/// Arguments of a launch: segment s begins at input s * T * T, and its bucket l is at l * segments + s.
template <class Op>
struct Sheffler {
  using T = typename Op::Value;
  const u32* labels;
  const T* values;
  Index n, m, segments;
  T* result;
  T* buckets;
  bool inclusive;
};

/// Scans a segment whose `count` labels and values are at `labels` and `values`. All threads of the block
/// call; `records` has T * T + m, and is free after a barrier.
template <bool published, class Op>
__device__ __forceinline__ void scan_square(const Sheffler<Op>& x, Index segment, int count,
                                            const u32* labels, const typename Op::Value* values,
                                            SpineRecord<typename Op::Value>* records) {
  using T = typename Op::Value;
  const Op op;
  const int side = blockDim.x, t = threadIdx.x;
  const u32 first_bucket = u32(side * side);
  const auto spine_of = [records](int i) {
    return published ? records[i].spine : records[i].spine & ~won_its_row;
  };
  T* const result = x.result + segment * side * side;

  // Init
  for (int i = t; i < count; i += side) {
    const u32 bucket = first_bucket + labels[i];
    records[i] = {Op::identity(), Op::identity(), bucket};
    store_same(&records[bucket].rowsum, Op::identity());
    store_same(&records[bucket].spinesum, Op::identity());
    store_same(&records[bucket].spine, bucket);
  }
  __syncthreads();

  // Spinetree, from the top row down
  for (int row = side - 1; row >= 0; --row) {
    const int i = row * side + t;
    u32 bucket = 0, spine = 0;
    if (i < count) {
      bucket = first_bucket + labels[i];
      spine = records[bucket].spine;
    }
    __syncthreads();
    if (i < count) relaxed_store(&records[bucket].spine, u32(i));
    __syncthreads();
    if (i >= count) continue;
    const bool won = !published && records[bucket].spine == u32(i);
    records[i].spine = spine | (won ? won_its_row : 0);
  }
  __syncthreads();

  // Rowsum, from the left column to the right
  for (int column = 0; column < side; ++column) {
    const int i = t * side + column;
    if (i < count) {
      T& rowsum = records[spine_of(i)].rowsum;
      rowsum = op(rowsum, values[i]);
    }
    __syncthreads();
  }

  // Spinesum, from the bottom row up
  for (int row = 0; row < side; ++row) {
    const int i = row * side + t;
    if (i < count) {
      const T rowsum = records[i].rowsum;
      const bool hands_on = published ? !(rowsum == Op::identity()) : (records[i].spine & won_its_row) != 0;
      if (hands_on) records[spine_of(i)].spinesum = op(records[i].spinesum, rowsum);
    }
    __syncthreads();
  }

  // Multisum, from the left column to the right
  for (int column = 0; column < side; ++column) {
    const int i = t * side + column;
    if (i < count) {
      T& spinesum = records[spine_of(i)].spinesum;
      const T before = spinesum, after = op(before, values[i]);
      spinesum = after;
      result[i] = x.inclusive ? after : before;
    }
    __syncthreads();
  }

  // A label's bucket has its segment's reduction: where nodes are marked it is written by the one right below
  // it that won its row, else by all of them.
  for (int i = t; i < count; i += side) {
    const u32 spine = spine_of(i);
    if (spine < first_bucket || (!published && spine == records[i].spine)) continue;
    store_same(&x.buckets[Index(spine - first_bucket) * x.segments + segment], records[spine].spinesum);
  }
}

/// For Card::parameters.
inline constexpr Parameter spine_condition{
    "published",
    0,
    0,
    1,
    Step::one,
    "1: a spinesum goes up where the rowsum is not the identity, which is wrong (5.4); 0: mended"};
/// Where a record's number and a mark have 32 bits.
inline constexpr Index most_sheffler_labels = Index(1) << 30;

/// Calls run(std::bool_constant<published>) for the parameter `published`.
template <class Run>
void with_condition(const Queue& queue, const Run& run) {
  if (queue.parameter("published") == 1) run(std::true_type{});
  else run(std::false_type{});
}

/// Alg. 5.2 around launch_segments(what to go through), with segments of side * side inputs.
template <class Op, class Launch>
void run_sheffler(Queue& queue, const Multiscan<Op>& x, Index side, const Launch& launch_segments) {
  using T = typename Op::Value;
  if (x.n == 0) return;
  const Index length = side * side, segments = ceil_div(x.n, length);
  T* const buckets = queue.scratch<T>(x.m * segments);
  T* const before = queue.scratch<T>(x.m * segments);
  fill(queue, buckets, x.m * segments, Op::identity());
  launch_segments(Sheffler<Op>{x.labels, x.values, x.n, x.m, segments, x.result, buckets, x.inclusive});
  scan_buckets<Op>(queue, x.m, segments, buckets, before);
  put_before(queue, x, segments, length, before);
  queue.chain(3 * side + partitioned_scan_chain(segments));
}

/// A block for each segment, whose labels and values are in global memory and whose records are in dynamic
/// shared memory.
template <class Op, bool published>
__global__ void scan_square_in_shared(Sheffler<Op> x) {
  const Index length = Index(blockDim.x) * blockDim.x, first = blockIdx.x * length;
  const int count = int(x.n - first < length ? x.n - first : length);
  scan_square<published>(x, blockIdx.x, count, x.labels + first, x.values + first,
                         dynamic_shared<SpineRecord<typename Op::Value>>());
}

template <class Op, bool published>
void run_sheffler_in_shared(Queue& queue, const Multiscan<Op>& x, Index side) {
  using T = typename Op::Value;
  run_sheffler<Op>(queue, x, side, [&](const Sheffler<Op>& all) {
    launch(queue,
           {.blocks = all.segments,
            .threads = int(side),
            .shared_bytes = std::size_t(side * side + x.m) * sizeof(SpineRecord<T>),
            .bytes_read = double(x.n) * 2 * (sizeof(u32) + sizeof(T)),
            .bytes_written = double(x.n + std::min(x.n, x.m * all.segments)) * sizeof(T)},
           scan_square_in_shared<Op, published>, all);
  });
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
