// The three reductions of Luitjens 2014 over inputs read `width` values at a time: the files reduce/shuffle_*
// name one each.
#pragma once

#include <algorithm>

#include "kernels/parts/atomic_combine.hpp"
#include "kernels/parts/block_shuffle.hpp"
#include "kernels/parts/fill.hpp"
#include "kernels/parts/grid_stride.hpp"
#include "kernels/parts/two_launches.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

inline constexpr std::array<Parameter, 4> shuffle_parameters{{
    {"block", 512, 32, 1024, Step::multiple_of_warp, "from the paper, \"Reducing large arrays\""},
    {"max_blocks", 1024, 1, 1 << 20, Step::one, "from the paper, \"Reducing large arrays\""},
}};

/// Each block leaves the reduction of its threads' shares in out[block].
template <class Op, int width>
__global__ void shuffle_partials(const typename Op::Value* in, Index n, typename Op::Value* out) {
  // Each thread holds its share of the input, then thread 0 the block's.
  const auto reduction = block_reduce<Op>(grid_stride_reduce<Op, width>(in, n));
  if (threadIdx.x == 0) out[blockIdx.x] = reduction;
}

/// As above, but the first thread of each warp adds its warp's reduction to the result.
template <class Op, int width>
__global__ void shuffle_warp_atomic_kernel(const typename Op::Value* in, Index n,
                                           typename Op::Value* result) {
  const auto reduction = warp_reduce<Op>(grid_stride_reduce<Op, width>(in, n));
  if (threadIdx.x % warp_size == 0) atomic_combine<Op>(result, reduction);
}

/// As above, but the first thread of each block adds its block's reduction to the result.
template <class Op, int width>
__global__ void shuffle_block_atomic_kernel(const typename Op::Value* in, Index n,
                                            typename Op::Value* result) {
  const auto reduction = block_reduce<Op>(grid_stride_reduce<Op, width>(in, n));
  if (threadIdx.x == 0) atomic_combine<Op>(result, reduction);
}

/// Enough blocks for a vector per thread, at most `max_blocks`, at least one.
inline Index shuffle_blocks(const Queue& queue, Index n, int width) {
  const Index wanted = ceil_div(n, width * queue.parameter("block"));
  const Index most = queue.parameter("max_blocks");
  return std::max<Index>(1, std::min(wanted, most));
}

template <int width, class Op>
void shuffle_two_pass_run(Queue& queue, const Reduce<Op>& x) {
  two_launches(queue, x,
               {.blocks = shuffle_blocks(queue, x.n, width),
                .threads = int(queue.parameter("block")),
                .final_threads = 1024},
               shuffle_partials<Op, width>, [](Index n, Index blocks, int threads) {
                 return grid_stride_chain(n, width, blocks * threads) + block_reduce_chain;
               });
}

/// One launch of `kernel`, after the result was set to the identity, as the paper's memset does; both are
/// timed. The last of the atomics, one for every `threads_per_atomic`, may come after all others.
template <int width, class Op, class Kernel>
void shuffle_atomic_run(Queue& queue, const Reduce<Op>& x, Kernel* kernel, Index threads_per_atomic,
                        Index chain) {
  using T = typename Op::Value;
  const Index blocks = shuffle_blocks(queue, x.n, width), threads = queue.parameter("block");
  fill(queue, x.result, 1, Op::identity());
  launch(queue,
         {.blocks = blocks,
          .threads = int(threads),
          .bytes_read = double(x.n) * sizeof(T),
          .bytes_written = sizeof(T)},
         kernel, x.values, x.n, x.result);
  queue.chain(grid_stride_chain(x.n, width, blocks * threads) + chain +
              blocks * threads / threads_per_atomic);
}

template <int width, class Op>
void shuffle_warp_atomic_run(Queue& queue, const Reduce<Op>& x) {
  shuffle_atomic_run<width>(queue, x, shuffle_warp_atomic_kernel<Op, width>, warp_size, warp_reduce_chain);
}

template <int width, class Op>
void shuffle_block_atomic_run(Queue& queue, const Reduce<Op>& x) {
  shuffle_atomic_run<width>(queue, x, shuffle_block_atomic_kernel<Op, width>, queue.parameter("block"),
                            block_reduce_chain);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
