#include "kernels/reduce/block_tree.hpp"
#include "kernels/reduce/multi_pass.hpp"

namespace redbench {
namespace {

template <class Op, int block>
__global__ void __launch_bounds__(block)
    completely_unrolled(const typename Op::Value* in, unsigned n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const unsigned t = threadIdx.x;

  // s[t] holds two inputs of each thread, reduced.
  s[t] = first_add<Op>(in, n);
  __syncthreads();

  // s[0] holds the tile's reduction, by a tree without a loop.
  unrolled_block_tree<Op, block>(s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}

struct harris6 {
  static constexpr Card card{.title = "completely unrolled by templates on the block size",
                             .source = "Sizmann 2023, section 3.6; Harris 2007, kernel 6",
                             .order = Order::commutative,
                             .maximum_n = most_of_32_bits,
                             .parameters = {{unrolled_block}}};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    with_block_size(queue.parameter("block"), [&](auto block) {
      multi_pass(queue, x,
                 {.tile = 2 * block, .threads = block, .shared_bytes = block * sizeof(typename Op::Value)},
                 completely_unrolled<Op, block>);
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, harris6)
}  // namespace redbench
