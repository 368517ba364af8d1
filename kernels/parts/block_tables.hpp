// One result for each label from those that resident blocks have of it, in the order of the blocks and within
// the launch that made them: every block writes its table to global memory, and behind a barrier over the grid
// the blocks share the labels out.
#pragma once

#include <algorithm>

#include "kernels/parts/load_vector.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

inline constexpr int labels_per_lane = 4, labels_per_chunk = labels_per_lane * warp_size;

/// Tables of `stride` values, m of them and identities up to whole vectors.
template <class T>
struct BlockTables {
  T* values;  // [blocks][stride]
  Index m, stride;

  static BlockTables scratch(Queue& queue, Index m, Index blocks) {
    const Index stride = Index(round_up(std::size_t(m), labels_per_lane));
    return {queue.scratch<T>(blocks > 1 ? blocks * stride : 0), m, stride};
  }
  __device__ Index chunks() const { return (stride + labels_per_chunk - 1) / labels_per_chunk; }
  /// Shared memory of a join, which begins where the block's own table has been.
  static std::size_t join_bytes(int threads) {
    return std::size_t(threads / warp_size) * labels_per_chunk * sizeof(T);
  }
  /// Bytes of global memory that a join writes, and reads.
  double bytes(Index blocks) const { return blocks > 1 ? double(blocks) * double(stride) * sizeof(T) : 0; }
};

/// take(label, reduction of the first `count` tables) for a chunk of labels, by a thread each. Each warp of the
/// block has its share of the tables, in order. partial[warp][label of the chunk] is shared memory.
template <class Op, class Take>
__device__ __forceinline__ void reduce_chunk(const BlockTables<typename Op::Value>& tables, int count,
                                             Index chunk, typename Op::Value* partial, const Take& take) {
  using T = typename Op::Value;
  const Op op;
  const int warp = threadIdx.x / warp_size, lane = threadIdx.x % warp_size, warps = blockDim.x / warp_size;
  const int share = (count + warps - 1) / warps;
  const int begin = min(warp * share, count), end = min(begin + share, count);
  const Index first = chunk * labels_per_chunk, own = first + lane * labels_per_lane;

  T reduction[labels_per_lane];
  for (T& one : reduction) one = Op::identity();
  if (own < tables.stride) {
#pragma unroll 8
    for (int block = begin; block < end; ++block) {
      const auto vector = load_vector<labels_per_lane>(tables.values + block * tables.stride + own, 0);
#pragma unroll
      for (int j = 0; j < labels_per_lane; ++j) reduction[j] = op(reduction[j], vector.element[j]);
    }
  }
#pragma unroll
  for (int j = 0; j < labels_per_lane; ++j)
    partial[warp * labels_per_chunk + lane * labels_per_lane + j] = reduction[j];
  __syncthreads();
  for (int i = threadIdx.x; i < labels_per_chunk && first + i < tables.m; i += blockDim.x) {
    T all = partial[i];
    for (int w = 1; w < warps; ++w) all = op(all, partial[w * labels_per_chunk + i]);
    take(first + i, all);
  }
  __syncthreads();
}

/// bucket(label) as the block's table.
template <class Op, class Bucket>
__device__ __forceinline__ void store_table(const BlockTables<typename Op::Value>& tables,
                                            const Bucket& bucket) {
  for (Index l = threadIdx.x; l < tables.stride; l += blockDim.x)
    tables.values[blockIdx.x * tables.stride + l] = l < tables.m ? bucket(l) : Op::identity();
}

/// Joins the blocks' tables, bucket(label) of each, into the result. `memory` is shared memory of join_bytes,
/// which may be the table's own. A cooperative launch unless it has one block.
template <class Op, class Bucket>
__device__ __forceinline__ void join_tables(const BlockTables<typename Op::Value>& tables,
                                            const Bucket& bucket, typename Op::Value* memory,
                                            typename Op::Value* result) {
  __syncthreads();
  if (gridDim.x == 1) {
    for (Index l = threadIdx.x; l < tables.m; l += blockDim.x) result[l] = bucket(l);
    return;
  }
  store_table<Op>(tables, bucket);
  grid_sync();
  for (Index chunk = blockIdx.x; chunk < tables.chunks(); chunk += gridDim.x)
    reduce_chunk<Op>(tables, int(gridDim.x), chunk, memory,
                     [=](Index label, auto all) { result[label] = all; });
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
