#if defined(__CUDACC__)
#include <cub/block/block_radix_sort.cuh>
#endif

#include "kernels/multireduce/block_segreduce.hpp"
#include "kernels/parts/power_of_two.hpp"

namespace redbench {
namespace {

/// Inputs of a thread: 12 are always best in the thesis (4.4.3).
constexpr int items = 12;

#if defined(__CUDACC__)
template <class T, int block>
using BlockSort = ::cub::BlockRadixSort<u32, block, items, T>;

template <class Op, int block>
__global__ void __launch_bounds__(block)
    cub_sort_and_reduce(const u32* labels, const typename Op::Value* values, Index n, u32 m, int bits,
                        bool transposed, typename Op::Value* buckets) {
  using Sort = BlockSort<typename Op::Value, block>;
  const auto sort = [bits](auto& label, auto& value, void* memory) {
    if (bits > 0) Sort(*static_cast<typename Sort::TempStorage*>(memory)).Sort(label, value, 0, bits);
    __syncthreads();
  };
  sort_and_reduce_tile<Op, items>(labels, values, n, m, transposed, buckets, sort);
}

/// The sort's shared memory, which the exchange before it has, too.
template <class T, int block>
constexpr std::size_t shared_bytes =
    std::max(sizeof(typename BlockSort<T, block>::TempStorage), block_sort_bytes<T>(block, items));
#endif

struct cub_block_sort_segreduce {
  static constexpr Card card{
      .title = "sort_segreduce_block with cub::BlockRadixSort, which the block's size is built into",
      .source = "Eilers 2014, 4.4.3, Alg. 4.13, whose sort is that of CUB, too; CUB 3.0 here",
      .order = Order::any,
      .parameters = {
          {{"block", 256, 128, 1024, Step::power_of_two, "an axis of Fig. 4.21; no value is printed"},
           segreduce_fetch}}};

  template <class Op>
  static constexpr std::string_view refuses() {
    if (this_target == Target::cuda) return {};
    return "cub::BlockRadixSort is in its kernel, which nvcc alone compiles";
  }

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
#if defined(__CUDACC__)
    with_power_of_two<128, 1024>(
        queue.parameter("block"), [&]<int block>(std::integral_constant<int, block>) {
          launch_tiles(queue, x, block, items, shared_bytes<typename Op::Value, block>,
                       cub_sort_and_reduce<Op, block>);
        });
#endif
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, cub_block_sort_segreduce)
}  // namespace redbench
