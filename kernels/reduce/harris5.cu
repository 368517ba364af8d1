#include "kernels/reduce/block_tree.hpp"
#include "kernels/reduce/multi_pass.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void last_warp_unrolled(const typename Op::Value* in, unsigned n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const unsigned t = threadIdx.x;
  const Op op;

  // s[t] holds two inputs of each thread, reduced.
  s[t] = first_add<Op>(in, n);
  __syncthreads();

  // After each step s[0..stride) holds all that remains, down to what one warp reduces without a block's
  // barrier.
  for (unsigned stride = blockDim.x / 2; stride > warp_size; stride /= 2) {
    if (t < stride) s[t] = op(s[t], s[t + stride]);
    __syncthreads();
  }

  // s[0] holds the tile's reduction.
  if (t < warp_size) last_warp_tree<Op>(s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}

struct harris5 {
  static constexpr Card card{.title = "last warp unrolled",
                             .source = "slides, reduce version 5; Sizmann 2023, section 3.5",
                             .order = Order::commutative,
                             .maximum_n = most_of_32_bits,
                             .parameters = {{unrolled_block}}};

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
