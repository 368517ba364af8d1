#include "kernels/reduce/multi_pass.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void interleaved_strided(const typename Op::Value* in, unsigned n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  const Op op;

  // s[t] holds one input of each thread, the identity past the end.
  s[t] = i < n ? in[i] : Op::identity();
  __syncthreads();

  // After each step s[k] holds inputs k to k + 2 stride, in order, where 2 stride divides k. The threads at
  // work are neighbours, so whole warps work or rest; their words are 2 stride apart, so they share banks.
  for (unsigned stride = 1; stride < blockDim.x; stride *= 2) {
    const unsigned k = 2 * stride * t;
    if (k < blockDim.x) s[k] = op(s[k], s[k + stride]);
    __syncthreads();
  }

  if (t == 0) out[blockIdx.x] = s[0];
}

struct harris2 {
  static constexpr Card card{.title = "interleaved addressing, strided index",
                             .source = "slides, reduce version 2; Sizmann 2023, section 3.2",
                             .order = Order::any,
                             .maximum_n = most_of_32_bits,
                             .parameters = {{{"block", 256, 32, 1024, Step::power_of_two,
                                              "Sizmann 2023, Fig. 4.1: best between 128 and 256 threads"}}}};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    const int block = int(queue.parameter("block"));
    multi_pass(queue, x,
               {.tile = block, .threads = block, .shared_bytes = block * sizeof(typename Op::Value)},
               interleaved_strided<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, harris2)
}  // namespace redbench
