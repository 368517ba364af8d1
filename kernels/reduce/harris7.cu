#include <algorithm>
#include <bit>

#include "kernels/parts/block_tree.hpp"
#include "kernels/parts/two_launches.hpp"

namespace redbench {
namespace {

/// Loads that a thread has under way at once: 32 bytes, which fills the memory system of a GPU with 2048
/// threads per multiprocessor about three times over (4.5 TB/s x 0.7 us = 3.2 MB on an H200).
template <class Op>
inline constexpr int loads = 32 / int(sizeof(typename Op::Value));

template <class Op, int block>
__global__ void __launch_bounds__(block)
    many_per_thread(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const int t = threadIdx.x;
  const Op op;

  // Each thread holds the reduction of its inputs: a grid's stride apart in batches, each batch loaded as a
  // whole before the first value is used. The last batch may be cut by the end.
  constexpr int batch = loads<Op>;
  const Index stride = Index(gridDim.x) * block * batch;
  Index i = Index(blockIdx.x) * block * batch + t;
  auto reduction = Op::identity();
  for (; i + (batch - 1) * block < n; i += stride) {
    typename Op::Value value[batch];
#pragma unroll
    for (int k = 0; k < batch; ++k) value[k] = in[i + k * block];
#pragma unroll
    for (int k = 0; k < batch; ++k) reduction = op(reduction, value[k]);
  }
  for (; i < n; i += block) reduction = op(reduction, in[i]);

  s[t] = reduction;
  __syncthreads();

  // Thread 0 holds the block's reduction.
  reduction = unrolled_block_tree<Op, block>(s, t);
  if (t == 0) out[blockIdx.x] = reduction;
}

struct harris7 {
  static constexpr Card card{
      .title = "many elements per thread, then the unrolled tree",
      .source = "Sizmann 2023, section 3.6; Martin 2012, III.B; Harris 2007, kernel 7",
      .order = Order::commutative,
      .parameters = {
          {{"block", 256, 32, 1024, Step::power_of_two,
            "Sizmann 2023, Fig. 4.1: best between 128 and 256 threads"},
           {"blocks", 0, 0, 1 << 20, Step::one,
            "0: as many as the device holds at once, so that no block waits for another to end"}}}};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    with_block_size(queue.parameter("block"), [&](auto block) {
      const std::size_t shared_bytes = block * sizeof(typename Op::Value);
      const Index wanted = queue.parameter("blocks");
      const Index most =
          wanted ? wanted : persistent_blocks(queue, many_per_thread<Op, block>, block, shared_bytes);
      const Index tiles = ceil_div(x.n, block * loads<Op>);
      two_launches(queue, x,
                   {.blocks = std::max<Index>(1, std::min(tiles, most)),
                    .threads = block,
                    .final_threads = block,
                    .shared_bytes = shared_bytes},
                   many_per_thread<Op, block>, [](Index n, Index blocks, int threads) {
                     const Index batches = ceil_div(n, blocks * threads * loads<Op>);
                     return batches * loads<Op> + std::bit_width(unsigned(threads)) - 1;
                   });
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, harris7)
}  // namespace redbench
