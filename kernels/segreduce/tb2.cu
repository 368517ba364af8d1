
#include "kernels/parts/chains.hpp"
#include "kernels/parts/padded.hpp"
#include "kernels/segreduce/segmented.hpp"

namespace redbench {
namespace {

template <class Op>
__global__ void segmented_tree(const typename Op::Value* values, const u32* owners, Index n,
                               typename Op::Value* output, Carries<typename Op::Value> carries) {
  const unsigned t = threadIdx.x, block = blockDim.x;
  auto* s = dynamic_shared<typename Op::Value>();
  auto* s_owner = reinterpret_cast<u32*>(s + padded(2 * block));
  const Index first = 2 * Index(blockIdx.x) * block;

  // s and s_owner hold the data-block of 2 block pairs; past the end the identity and the last owner.
  const Index low = first + t, high = low + block;
  const auto low_value = low < n ? values[low] : Op::identity();
  const auto high_value = high < n ? values[high] : Op::identity();
  const u32 low_owner = owners[owner_index(low, n)], high_owner = owners[owner_index(high, n)];
  s[padded(t)] = low_value;
  s[padded(t + block)] = high_value;
  s_owner[padded(t)] = low_owner;
  s_owner[padded(t + block)] = high_owner;

  // After each step the pair at every multiple of 2 stride holds the first segment of that many inputs;
  // segments that start further in are in the output, as far as those inputs go.
  unsigned stride = 1;
  for (unsigned nodes = block; nodes > 0; nodes /= 2, stride *= 2) {
    __syncthreads();
    if (t < nodes) {
      const unsigned left = padded(2 * stride * t), right = padded(2 * stride * t + stride);
      reduce_to_left<Op>(output, s[left], s_owner[left], s[right], s_owner[right]);
    }
  }

  // The last step was thread 0's alone. The data-block's first segment is its carry.
  if (t == 0) hand_on(carries, output, s[0], s_owner[0]);
}

struct tb2 {
  static constexpr Card card{
      .title = "tree over two elements per thread with owners, left-storing",
      .source = "Martin 2012, IV.A; Zhou et al. there",
      .order = Order::any,
      .registers = 10,
      .parameters = {{{"block", 256, 32, 1024, Step::power_of_two, "Martin 2012, Table II"}}}};

  template <class Op>
  static void run(Queue& queue, const SegReduce<Op>& x) {
    const int block = int(queue.parameter("block")), tile = 2 * block;
    segmented_multi_pass(queue, x,
                         {.tile = tile,
                          .threads = block,
                          .shared_bytes = padded(tile) * (sizeof(typename Op::Value) + sizeof(u32)),
                          .chain = tree_chain(tile)},
                         segmented_tree<Op>);
  }
};

}  // namespace
REDBENCH_VARIANT(SegReduce, tb2)
}  // namespace redbench
