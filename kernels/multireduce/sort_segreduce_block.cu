#include "kernels/multireduce/block_segreduce.hpp"

namespace redbench {
namespace {

/// Registers are bounded for `resident` threads of a multiprocessor; 0: as the compiler likes.
template <class Op, int items, int resident>
__global__ void __launch_bounds__(resident)
    sort_and_reduce(const u32* labels, const typename Op::Value* values, Index n, u32 m, int bits,
                    bool transposed, typename Op::Value* buckets) {
  sort_and_reduce_tile<Op, items>(
      labels, values, n, m, transposed, buckets,
      [bits](auto& label, auto& value, void* memory) { block_sort(label, value, bits, memory); });
}

struct sort_segreduce_block {
  static constexpr Card card{
      .title = "a tile in each block's registers: radix sort, segmented reduction in three phases",
      .source =
          "Eilers 2014, 4.4.3, Alg. 4.13, with its misprints mended; CUB's and Modern GPU's block "
          "primitives there, our own here; the ends of segments are bits of a word, not values",
      .order = Order::any,
      .parameters = {
          {{"block", 256, 32, 1024, Step::multiple_of_warp, "an axis of Fig. 4.21; no value is printed"},
           {"items", 12, 4, 12, Step::one, "4.4.3: 12 is always best; 4 and 8, too"},
           segreduce_fetch,
           sort_resident}}};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    with_items_and_resident(queue, [&]<int items, int resident>() {
      const Index block = queue.parameter("block");
      launch_tiles(queue, x, block, items, block_sort_bytes<typename Op::Value>(block, items),
                   sort_and_reduce<Op, items, resident>);
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, sort_segreduce_block)
}  // namespace redbench
