#include "kernels/parts/warp_tree.hpp"
#include "kernels/reduce/multi_pass.hpp"

namespace redbench {
namespace {

constexpr int block = 256, loads = 4, tile = loads * block, warps = block / warp_size;
static_assert(loads * warps == warp_size, "one warp reduces the data-warps' results");

template <class Op>
__global__ void intra_warp_tree(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  auto* of_data_warp = s + tile;
  const unsigned t = threadIdx.x, warp = t / warp_size, lane = t % warp_size;

  // s holds the data-block, the identity past the end. A warp reads only what its own lanes wrote.
  typename Op::Value value[loads];
#pragma unroll
  for (int k = 0; k < loads; ++k) {
    const Index i = Index(blockIdx.x) * tile + k * block + t;
    value[k] = i < n ? in[i] : Op::identity();
  }
#pragma unroll
  for (int k = 0; k < loads; ++k) s[k * block + t] = value[k];

  // of_data_warp[j] holds the reduction of inputs 32 j to 32 j + 32 of the data-block.
  for (unsigned k = 0; k < loads; ++k)
    warp_tree<Op>(s + k * block + warp * warp_size, lane, of_data_warp[k * warps + warp]);
  __syncthreads();

  // The first warp reduces these, in order.
  if (warp == 0) warp_tree<Op>(of_data_warp, lane, out[blockIdx.x]);
}

struct tb4_warp {
  static constexpr Card card{.title = "tree within warps over four elements per thread, left-storing",
                             .source = "Martin 2012, III.A.2, Algorithm 2",
                             .order = Order::any,
                             .registers = 13};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    multi_pass(
        queue, x,
        {.tile = tile, .threads = block, .shared_bytes = (tile + warp_size) * sizeof(typename Op::Value)},
        intra_warp_tree<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, tb4_warp)
}  // namespace redbench
