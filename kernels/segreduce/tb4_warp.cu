#include "kernels/segreduce/segmented.hpp"

namespace redbench {
namespace {

constexpr int block = 256, loads = 4, tile = loads * block, warps = block / warp_size;
static_assert(loads * warps == warp_size, "one warp reduces the data-warps' results");

/// Reduces 32 pairs left-storing; lane 0 then holds the first segment in s[0]. All lanes call.
template <class Op>
__device__ void segmented_warp_tree(typename Op::Value* s, const u32* s_owner, unsigned lane,
                                    typename Op::Value* output) {
#pragma unroll
  for (unsigned stride = 1; stride < warp_size; stride *= 2) {
    __syncwarp();
    if (lane % (2 * stride) == 0)
      reduce_to_left<Op>(output, s[lane], s_owner[lane], s[lane + stride], s_owner[lane + stride]);
  }
}

template <class Op>
__global__ void segmented_intra_warp_tree(const typename Op::Value* values, const u32* owners, Index n,
                                          typename Op::Value* output, Carries<typename Op::Value> carries) {
  using T = typename Op::Value;
  constexpr int words = tile + warp_size;
  T* const s = dynamic_shared<T>();
  u32* const s_owner = reinterpret_cast<u32*>(s + words);
  T* const of_data_warp = s + tile;
  u32* const owner_of_data_warp = s_owner + tile;
  const unsigned t = threadIdx.x, warp = t / warp_size, lane = t % warp_size;

  // s and s_owner hold the data-block; past the end the identity and the last owner. A warp reads only what
  // its own lanes wrote.
  T value[loads];
  u32 owner[loads];
#pragma unroll
  for (int k = 0; k < loads; ++k) {
    const Index i = Index(blockIdx.x) * tile + k * block + t;
    value[k] = i < n ? values[i] : Op::identity();
    owner[k] = owners[owner_index(i, n)];
  }
#pragma unroll
  for (int k = 0; k < loads; ++k) {
    s[k * block + t] = value[k];
    s_owner[k * block + t] = owner[k];
  }

  // Pair j of the data-warps holds the first segment of inputs 32 j to 32 j + 32 of the data-block; segments
  // that start further in are in the output, as far as those inputs go.
  for (unsigned k = 0; k < loads; ++k) {
    const unsigned start = k * block + warp * warp_size;
    segmented_warp_tree<Op>(s + start, s_owner + start, lane, output);
    if (lane == 0) {
      of_data_warp[k * warps + warp] = s[start];
      owner_of_data_warp[k * warps + warp] = s_owner[start];
    }
  }
  __syncthreads();

  // The first warp reduces these, in order. The data-block's first segment is its carry.
  if (warp == 0) {
    segmented_warp_tree<Op>(of_data_warp, owner_of_data_warp, lane, output);
    if (lane == 0) hand_on(carries, output, of_data_warp[0], owner_of_data_warp[0]);
  }
}

struct tb4_warp {
  static constexpr Card card{
      .title = "tree within warps over four elements per thread with owners, left-storing",
      .source = "Martin 2012, IV.A",
      .order = Order::any,
      .registers = 14};

  template <class Op>
  static void run(Queue& queue, const SegReduce<Op>& x) {
    segmented_multi_pass(queue, x,
                         {.tile = tile,
                          .threads = block,
                          .shared_bytes = (tile + warp_size) * (sizeof(typename Op::Value) + sizeof(u32)),
                          .chain = 10},
                         segmented_intra_warp_tree<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(SegReduce, tb4_warp)
}  // namespace redbench
