#include "kernels/reduce/multi_pass.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void interleaved_modulo(const typename Op::Value* in, unsigned n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  const Op op;

  // s[t] holds one input of each thread, the identity past the end.
  s[t] = i < n ? in[i] : Op::identity();
  __syncthreads();

  // After each step s[t] holds inputs t to t + 2 stride, in order, where 2 stride divides t. The threads at
  // work lie scattered over all warps.
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    if (t % (2 * stride) == 0) s[t] = op(s[t], s[t + stride]);
    __syncthreads();
  }

  if (t == 0) out[blockIdx.x] = s[0];
}

struct harris1 {
  static constexpr Card card{.title = "interleaved addressing, modulo test",
                             .source = "slides, reduce version 1; Sizmann 2023, section 3.1",
                             .order = Order::any,
                             .maximum_n = most_of_32_bits,
                             .parameters = {{{"block", 256, 32, 1024, Step::power_of_two,
                                              "Sizmann 2023, Fig. 4.1: best between 128 and 256 threads"}}}};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    const int block = int(queue.parameter("block"));
    multi_pass(queue, x,
               {.tile = block, .threads = block, .shared_bytes = block * sizeof(typename Op::Value)},
               interleaved_modulo<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, harris1)
}  // namespace redbench
