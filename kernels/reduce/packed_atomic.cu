// Model: 4 n bytes, one launch. Behind the last load come a block's tree (two warp reductions of one
// instruction and a barrier) and the round trip of one atomic to L2; then the result is stored. A warp
// issues 16 instructions for a row of 512 bytes, where the rate of memory leaves room for 100.
#include "kernels/reduce/one_launch.hpp"

namespace redbench {
namespace {

constexpr int count_shift = 48;
constexpr MostBlocks most{(Index(1) << 16) - 1, 16};

// Blocks that have added their reduction, from bit 48 on; below it their sum, which fewer than 2^16 numbers of
// 32 bits do not carry out of. Zero when the program is loaded, and the last block of each launch leaves it
// zero: launches that use it must follow each other, as those of one stream do.
__device__ unsigned long long arrived;

template <class Op, int loads>
__global__ void __launch_bounds__(one_launch_block.maximum, 1)
    add_with_count(const typename Op::Value* in, Index n, unsigned tile, typename Op::Result* result) {
  const u32 reduction = u32(block_total<Accumulator<Op>>(tiled_share<Op, loads>(in, n, tile)));
  if (threadIdx.x != 0) return;

  // Whoever completes the count has learnt the sum of all others by the same atomic: no fence, no second read.
  const unsigned long long before = atomicAdd(&arrived, 1ull << count_shift | reduction);
  if (before >> count_shift == gridDim.x - 1) {
    *result = typename Op::Result(u32(before) + reduction);
    arrived = 0;
  }
}

struct packed_atomic {
  static constexpr Card card{
      .title = "one launch: sum and count of blocks in one word, by one atomic",
      .source =
          "CUDA samples, threadFenceReduction: the last block; Merrill and Garland 2016, decoupled "
          "look-back: state and value in one word",
      .order = Order::commutative,
      .minimum_capability = 80,
      .narrow = true,
      .parameters = {{one_launch_block, one_launch_loads, one_launch_per_sm, one_launch_waves}}};

  template <class Op>
  static constexpr std::string_view refuses() {
    constexpr bool fits =
        Op::name == Operator::sum && Op::exact && sizeof(typename Accumulator<Op>::Value) == 4;
    return fits ? "" : "adds in 32 bits of an integer atomic";
  }

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    with_loads<one_launch_loads>(queue, [&](auto loads) {
      const auto kernel = add_with_count<Op, loads>;
      const Cover cover = cover_by_tiles<typename Op::Value>(queue, kernel, x.n, most);
      launch_over(queue, x, cover, kernel);
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, packed_atomic)
}  // namespace redbench
