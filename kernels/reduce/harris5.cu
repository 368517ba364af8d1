#include "kernels/parts/block_tree.hpp"
#include "kernels/parts/multi_pass.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void last_warp_unrolled(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const int t = threadIdx.x;
  const Op op;

  // s[t] holds two inputs of each thread, reduced.
  s[t] = first_add<Op>(in, n);
  __syncthreads();

  // After each step s[0..stride) holds all that remains, down to what one warp reduces without a block's
  // barrier.
  for (int stride = blockDim.x / 2; stride > warp_size; stride /= 2) {
    if (t < stride) s[t] = op(s[t], s[t + stride]);
    __syncthreads();
  }

  // Every lane of the first warp holds the tile's reduction.
  if (t < warp_size) {
    const auto reduction = last_warp_tree<Op>(s, t, blockDim.x);
    if (t == 0) out[blockIdx.x] = reduction;
  }
}

struct harris5 {
  static constexpr Card card{.title = "last warp unrolled",
                             .source = "slides, reduce version 5; Sizmann 2023, section 3.5",
                             .order = Order::commutative,
                             .parameters = {{{"block", 256, 32, 1024, Step::power_of_two,
                                              "Sizmann 2023, Fig. 4.1: best between 128 and 256 threads"}}}};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    const int block = int(queue.parameter("block"));
    multi_pass(queue, x,
               {.tile = 2 * block, .threads = block, .shared_bytes = block * sizeof(typename Op::Value)},
               last_warp_unrolled<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, harris5)
}  // namespace redbench
