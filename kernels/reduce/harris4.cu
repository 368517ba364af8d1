#include "kernels/reduce/block_tree.hpp"
#include "kernels/reduce/multi_pass.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void first_add_while_loading(const typename Op::Value* in, unsigned n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const unsigned t = threadIdx.x;
  const Op op;

  // s[t] holds two inputs of each thread, reduced: half the blocks, and no thread idle in the first step.
  s[t] = first_add<Op>(in, n);
  __syncthreads();

  // After each step s[0..stride) holds all that remains.
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (t < stride) s[t] = op(s[t], s[t + stride]);
    __syncthreads();
  }

  if (t == 0) out[blockIdx.x] = s[0];
}

struct harris4 {
  static constexpr Card card{.title = "first operation while loading",
                             .source = "slides, reduce version 4; Sizmann 2023, section 3.4",
                             .order = Order::commutative,
                             .maximum_n = most_of_32_bits,
                             .parameters = {{{"block", 256, 32, 1024, Step::power_of_two,
                                              "Sizmann 2023, Fig. 4.1: best between 128 and 256 threads"}}}};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    const int block = int(queue.parameter("block"));
    multi_pass(queue, x,
               {.tile = 2 * block, .threads = block, .shared_bytes = block * sizeof(typename Op::Value)},
               first_add_while_loading<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, harris4)
}  // namespace redbench
