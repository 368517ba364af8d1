#include "kernels/parts/padded.hpp"
#include "kernels/reduce/multi_pass.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void left_storing_tree(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const unsigned t = threadIdx.x, block = blockDim.x;
  const Index first = 2 * Index(blockIdx.x) * block;
  const Op op;

  // s holds the data-block of 2 block elements, the identity past the end.
  const auto low = first + t < n ? in[first + t] : Op::identity();
  const auto high = first + t + block < n ? in[first + t + block] : Op::identity();
  s[padded(t)] = low;
  s[padded(t + block)] = high;

  // After each step the element at every multiple of 2 stride holds that many inputs, in order.
  unsigned stride = 1;
  for (unsigned nodes = block; nodes > 0; nodes /= 2, stride *= 2) {
    __syncthreads();
    if (t < nodes) {
      const unsigned left = 2 * stride * t, right = left + stride;
      s[padded(left)] = op(s[padded(left)], s[padded(right)]);
    }
  }

  // The last step was thread 0's alone.
  if (t == 0) out[blockIdx.x] = s[0];
}

struct tb2 {
  static constexpr Card card{
      .title = "tree over two elements per thread, padded, left-storing",
      .source = "Martin 2012, III.A.1, Algorithm 1",
      .order = Order::any,
      .registers = 9,
      .parameters = {{{"block", 256, 32, 1024, Step::power_of_two, "Martin 2012, Table I"}}}};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    const int block = int(queue.parameter("block")), tile = 2 * block;
    multi_pass(queue, x,
               {.tile = tile, .threads = block, .shared_bytes = padded(tile) * sizeof(typename Op::Value)},
               left_storing_tree<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, tb2)
}  // namespace redbench
