#include <algorithm>
#include <bit>

#include "kernels/parts/chains.hpp"
#include "kernels/parts/grid_stride.hpp"
#include "kernels/reduce/block_tree.hpp"
#include "kernels/reduce/problem.hpp"

namespace redbench {
namespace {

template <class Op, int block, int loads>
__global__ void __launch_bounds__(block)
    many_per_thread(const typename Op::Value* in, unsigned n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const unsigned t = threadIdx.x;
  const Op op;

  // Each thread holds the reduction of its inputs: `loads` of them in each step of the grid, a block apart.
  // Inputs that do not fill a last step follow one by one. Harris adds to s[t], which nvcc keeps in a
  // register, too.
  auto reduction = Op::identity();
  unsigned i = blockIdx.x * (loads * block) + t;
  for (; i + (loads - 1) * block < n; i += gridDim.x * (loads * block)) {
    auto of_step = in[i];
#pragma unroll
    for (int k = 1; k < loads; ++k) of_step = op(of_step, in[i + k * block]);
    reduction = op(reduction, of_step);
  }
#pragma unroll
  for (int k = 0; k < loads - 1; ++k)
    if (i + k * block < n) reduction = op(reduction, in[i + k * block]);
  s[t] = reduction;
  __syncthreads();

  // s[0] holds the block's reduction.
  unrolled_block_tree<Op, block>(s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}

struct TwoLaunches {
  Index blocks;       // of the first launch, at least 1
  int threads;        // per block
  int final_threads;  // of the second launch's block
  std::size_t shared_bytes = 0;
};

/// Launches kernel(in, n, out), whose block b leaves the reduction of its share of the input in out[b]; a
/// first launch of one block needs no second. `chain(n, blocks, threads)` is the longest chain of operations
/// in a launch.
template <class Op, class Kernel, class Chain>
void two_launches(Queue& queue, const Reduce<Op>& x, const TwoLaunches& shape, Kernel* kernel, Chain chain) {
  using T = typename Op::Value;
  T* const partial = queue.scratch<T>(shape.blocks > 1 ? shape.blocks : 0);
  const auto reduce = [&](const T* in, Index n, T* out, Index blocks, int threads) {
    launch(queue,
           {.blocks = blocks,
            .threads = threads,
            .shared_bytes = shape.shared_bytes,
            .bytes_read = double(n) * sizeof(T),
            .bytes_written = double(blocks) * sizeof(T)},
           kernel, in, n, out);
    return chain(n, blocks, threads);
  };

  Index length;
  if (shape.blocks == 1) {
    length = reduce(x.values, x.n, x.result, 1, shape.threads);
  } else {
    length = reduce(x.values, x.n, partial, shape.blocks, shape.threads);
    length += reduce(partial, shape.blocks, x.result, 1, shape.final_threads);
  }
  queue.chain(length);
}

struct harris7 {
  static constexpr Card card{
      .title = "many elements per thread, then the unrolled tree",
      .source = "Sizmann 2023, section 3.6; Martin 2012, III.B; Harris 2007, kernel 7",
      .order = Order::commutative,
      .maximum_n = most_of_32_bits,
      .parameters = {{unrolled_block,
                      {"blocks", 0, 0, 1 << 20, Step::one,
                       "0: as many as the device holds at once, so that no block waits for another to end"},
                      {"loads", 2, 2, 8, Step::power_of_two,
                       "Harris 2007, kernel 7: two inputs in each step; 8 tuned on an H200"}}}};

  template <class Op, int block, int loads>
  static void run_with(Queue& queue, const Reduce<Op>& x) {
    const std::size_t shared_bytes = block * sizeof(typename Op::Value);
    constexpr Index tile = block * loads;
    const Index wanted = queue.parameter("blocks");
    const Index most =
        wanted ? wanted : persistent_blocks(queue, many_per_thread<Op, block, loads>, block, shared_bytes);
    const Index blocks = std::max<Index>(1, std::min(ceil_div(x.n, tile), most));
    refuse_past<unsigned>(queue, x.n, (blocks + 1) * tile);
    two_launches(queue, x,
                 {.blocks = blocks, .threads = block, .final_threads = block, .shared_bytes = shared_bytes},
                 many_per_thread<Op, block, loads>, [](Index n, Index grid, int threads) {
                   return ceil_div(n, grid * tile) + 2 * loads + std::bit_width(unsigned(threads)) - 1;
                 });
  }

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    const Index block = queue.parameter("block"), loads = queue.parameter("loads");
    // nvcc compiles a kernel for each pair of block size and loads: more than 2 loads have one block size.
    if (loads == 2) with_block_size(block, [&](auto size) { run_with<Op, size, 2>(queue, x); });
    else if (block != unrolled_block.fallback) queue.refuse("has more than 2 loads in blocks of 256 only");
    else
      with_power_of_two<4, 8>(loads,
                              [&](auto count) { run_with<Op, unrolled_block.fallback, count>(queue, x); });
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, harris7)
}  // namespace redbench
