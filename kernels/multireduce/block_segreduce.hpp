// The sort of a block's tile and its segmented reduction (Eilers 2014, 4.4.3, Alg. 4.13): all but the sort, so
// that multireduce/sort_segreduce_block and multireduce/cub_block_sort_segreduce differ by nothing else.
#pragma once

#include "kernels/multireduce/bucket_sets.hpp"
#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/block_radix_sort.hpp"
#include "kernels/parts/labelled_values.hpp"
#include "kernels/parts/segmented_operator.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// The sorted tile's segments, reduced in three phases. Bucket l of block b is at l * stored_sets(gridDim.x) + b. The
/// block's barrier precedes; `first_label` has a word for each thread.
template <class Op, int items>
__device__ __forceinline__ void reduce_segments(const u32 (&label)[items], typename Op::Value (&value)[items],
                                                u32 m, u32* first_label, typename Op::Value* buckets) {
  using Scan = Segmented<Op>;
  const Op op;
  const int block = blockDim.x, t = threadIdx.x;
  const Index sets = stored_sets<typename Op::Value>(gridDim.x);

  // The next thread's first label; behind the last thread comes none, so m.
  first_label[t] = t == 0 ? m : label[0];
  __syncthreads();
  const u32 after = first_label[t + 1 < block ? t + 1 : 0];

  // 1: value[k] becomes the reduction of this thread's part of the segment up to k, and `carry` that of the
  // segment that goes on behind the thread. A segment ends at k where ends has bit k.
  auto carry = Op::identity();
  u32 ends = 0;
#pragma unroll
  for (int k = 0; k < items; ++k) {
    carry = k == 0 ? value[0] : op(carry, value[k]);
    value[k] = carry;
    if (label[k] != (k + 1 < items ? label[k + 1 < items ? k + 1 : 0] : after)) {
      ends |= 1u << k;
      carry = Op::identity();
    }
  }

  // 2: what comes before this thread of its first segment.
  typename Scan::Value total;
  auto before = block_exclusive_scan<Scan>({carry, ends != 0}, total).value;

  // 3
#pragma unroll
  for (int k = 0; k < items; ++k) {
    if (!(ends >> k & 1)) continue;
    buckets[Index(label[k]) * sets + blockIdx.x] = op(before, value[k]);
    before = Op::identity();
  }
}

/// One tile of blockDim * items inputs: in the registers, sorted by label, reduced by segments.
/// sort(label, value, memory) is a stable sort of what the threads have, blocked; it ends with a barrier.
template <class Op, int items, class Sort>
__device__ __forceinline__ void sort_and_reduce_tile(const u32* labels, const typename Op::Value* values,
                                                     Index n, u32 m, bool transposed,
                                                     typename Op::Value* buckets, const Sort& sort) {
  using T = typename Op::Value;
  auto* const memory = dynamic_shared<unsigned char>();
  const int block = blockDim.x, t = threadIdx.x;
  const Index tile = Index(blockIdx.x) * block * items;

  // Past the end come identities of the last label: they change nothing, and the sort leaves them behind.
  u32 label[items];
  T value[items];
  int place[items];
#pragma unroll
  for (int k = 0; k < items; ++k) {
    place[k] = k * block + t;
    label[k] = tile + place[k] < n ? labels[tile + place[k]] : m - 1;
  }
#pragma unroll
  for (int k = 0; k < items; ++k) value[k] = tile + place[k] < n ? values[tile + place[k]] : Op::identity();
  if (transposed) {
    exchange(label, place, memory);
    exchange(value, place, memory);
  }
  sort(label, value, memory);
  reduce_segments<Op>(label, value, m, reinterpret_cast<u32*>(memory), buckets);
}

/// Values of the parameter `fetch`.
inline constexpr Index fetch_by_operator = 0, fetch_strided = 1, fetch_transposed = 2;
inline constexpr Parameter segreduce_fetch{
    "fetch",
    fetch_by_operator,
    fetch_by_operator,
    fetch_transposed,
    Step::one,
    "1: strided, for commutative operators; 2: transposed (Alg. 4.5); 0: as the operator asks"};

/// Whether the tile is transposed, by the parameter `fetch`.
template <class Op>
bool is_transposed(const Queue& queue) {
  const Index fetch = queue.parameter("fetch");
  if (fetch == fetch_strided && !Op::commutative)
    queue.refuse("a strided fetch changes the order: fetch=1 needs a commutative operator");
  return fetch == fetch_by_operator ? !Op::commutative : fetch == fetch_transposed;
}

/// Launches `kernel` on a tile of `block` * `items` inputs for each block, and joins their sets.
template <class Op, class Kernel>
void launch_tiles(Queue& queue, const Multireduce<Op>& x, Index block, int items, std::size_t shared_bytes,
                  Kernel kernel) {
  const bool transposed = is_transposed<Op>(queue);
  const Index blocks = ceil_div(x.n, block * items);
  const auto sets = BucketSets<Op>::cleared(queue, x.m, std::max<Index>(blocks, 1), x.result);
  if (x.n == 0) return;
  launch(queue,
         {.blocks = blocks,
          .threads = int(block),
          .shared_bytes = shared_bytes,
          .bytes_read = x.input_bytes(),
          .bytes_written = double(std::min(x.n, x.m * blocks)) * sizeof(typename Op::Value)},
         kernel, x.labels, x.values, x.n, u32(x.m), bits_of(x.m), transposed, sets.buckets);
  sets.reduce(queue);
  queue.chain(items + block_scan_chain + 2 + sets.chain());
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
