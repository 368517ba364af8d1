#include "kernels/reduce/multi_pass.hpp"
#include "kernels/reduce/problem.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void sequential_addressing(const typename Op::Value* in, unsigned n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  const Op op;

  // s[t] holds one input of each thread, the identity past the end.
  s[t] = i < n ? in[i] : Op::identity();
  __syncthreads();

  // After each step s[0..stride) holds all that remains: neighbouring threads touch neighbouring words.
  for (unsigned stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (t < stride) s[t] = op(s[t], s[t + stride]);
    __syncthreads();
  }

  if (t == 0) out[blockIdx.x] = s[0];
}

struct harris3 {
  static constexpr Card card{.title = "sequential addressing",
                             .source = "slides, reduce version 3; Sizmann 2023, section 3.3",
                             .order = Order::commutative,
                             .maximum_n = most_of_32_bits,
                             .parameters = {{{"block", 256, 32, 1024, Step::power_of_two,
                                              "Sizmann 2023, Fig. 4.1: best between 128 and 256 threads"}}}};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    const int block = int(queue.parameter("block"));
    multi_pass(queue, x,
               {.tile = block, .threads = block, .shared_bytes = block * sizeof(typename Op::Value)},
               sequential_addressing<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, harris3)
}  // namespace redbench
