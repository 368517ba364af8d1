// The three reductions of Luitjens 2014: the files reduce/shuffle_* name one each, and how its threads go
// through their share of the input.
#pragma once

#include <algorithm>

#include "kernels/parts/atomic_combine.hpp"
#include "kernels/parts/block_shuffle.hpp"
#include "kernels/parts/fill.hpp"
#include "kernels/parts/grid_stride.hpp"
#include "kernels/parts/power_of_two.hpp"
#include "kernels/reduce/problem.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

/// The loop of the listings over `values` at a time: an index of 32 bits.
template <int values>
struct AsListed {
  using Int = int;
  static constexpr int width = values;
  template <class Op>
  static __device__ typename Op::Value reduce(const typename Op::Value* in, Int n) {
    return grid_stride_reduce<Op, width>(in, n);
  }
};

/// The loop with more loads under way, over any n.
template <int loads>
struct Unrolled {
  using Int = Index;
  static constexpr int width = 1;
  template <class Op>
  static __device__ typename Op::Value reduce(const typename Op::Value* in, Int n) {
    auto reduction = Op::identity();
    grid_stride_steps<loads>(n, [&](Index i) { reduction = Op()(reduction, in[i]); });
    return reduction;
  }
};

inline constexpr Parameter unrolled_loads{"loads", 4, 4, 8, Step::power_of_two, "tuned on an H200"};

inline constexpr Parameter two_pass_block{
    "block", 512, 32, 1024, Step::multiple_of_warp, "from the paper, \"Reducing large arrays\""};
inline constexpr Parameter two_pass_blocks{
    "max_blocks", 1024, 1, 1 << 20, Step::one, "from the paper, \"Reducing large arrays\""};
inline constexpr Parameter atomic_block{
    "block", 256, 32, 1024, Step::multiple_of_warp, "from the code that the paper names, its atomic forms"};
inline constexpr Parameter atomic_blocks{
    "max_blocks", 2048, 1, 1 << 20, Step::one, "from the code that the paper names, its atomic forms"};

/// Each block leaves the reduction of its threads' shares in out[block].
template <class Op, class Share>
__global__ void shuffle_partials(const typename Op::Value* in, typename Share::Int n,
                                 typename Op::Value* out) {
  // Each thread holds its share of the input, then thread 0 the block's.
  const auto reduction = block_reduce<Op>(Share::template reduce<Op>(in, n));
  if (threadIdx.x == 0) out[blockIdx.x] = reduction;
}

/// As above, but the first thread of each warp adds its warp's reduction to the result.
template <class Op, class Share>
__global__ void shuffle_warp_atomic_kernel(const typename Op::Value* in, typename Share::Int n,
                                           typename Op::Value* result) {
  const auto reduction = warp_reduce<Op>(Share::template reduce<Op>(in, n));
  if (threadIdx.x % warp_size == 0) atomic_combine<Op>(result, reduction);
}

/// As above, but the first thread of each block adds its block's reduction to the result.
template <class Op, class Share>
__global__ void shuffle_block_atomic_kernel(const typename Op::Value* in, typename Share::Int n,
                                            typename Op::Value* result) {
  const auto reduction = block_reduce<Op>(Share::template reduce<Op>(in, n));
  if (threadIdx.x == 0) atomic_combine<Op>(result, reduction);
}

/// Enough blocks for a whole vector per thread, at most `max_blocks`, at least one.
template <class Share>
Grid shuffle_grid(const Queue& queue, Index n) {
  const Index threads = queue.parameter("block"), most = queue.parameter("max_blocks");
  const Index wanted = ceil_div(n / Share::width, threads);
  const Index blocks = std::max<Index>(1, std::min(wanted, most));
  refuse_past<typename Share::Int>(queue, n, blocks * threads);
  return {.blocks = blocks, .threads = int(threads)};
}

/// Two launches for every n, the second by the listing's scalar kernel in one block of 1024.
template <class Share, class Op>
void shuffle_two_pass_run(Queue& queue, const Reduce<Op>& x) {
  using T = typename Op::Value;
  Grid grid = shuffle_grid<Share>(queue, x.n);
  T* const partial = queue.scratch<T>(grid.blocks);
  grid.bytes_read = x.input_bytes();
  grid.bytes_written = double(grid.blocks) * sizeof(T);
  launch(queue, grid, shuffle_partials<Op, Share>, x.values, x.n, partial);

  constexpr int final_threads = 1024;
  launch(queue, {.threads = final_threads, .bytes_read = grid.bytes_written, .bytes_written = sizeof(T)},
         shuffle_partials<Op, AsListed<1>>, partial, grid.blocks, x.result);
  queue.chain(grid_stride_chain(x.n, Share::width, grid.blocks * grid.threads) +
              grid_stride_chain(grid.blocks, 1, final_threads) + 2 * block_reduce_chain);
}

/// One launch of `kernel`, after the result was set to the identity, as the paper's memset does; both are
/// timed. The last of the atomics, one for every `threads_per_atomic`, may come after all others.
template <class Share, class Op, class Kernel>
void shuffle_atomic_run(Queue& queue, const Reduce<Op>& x, Kernel* kernel, Index threads_per_atomic,
                        Index chain) {
  using T = typename Op::Value;
  Grid grid = shuffle_grid<Share>(queue, x.n);
  grid.bytes_read = x.input_bytes();
  grid.bytes_written = sizeof(T);
  fill(queue, x.result, 1, Op::identity());
  launch(queue, grid, kernel, x.values, x.n, x.result);
  const Index threads = grid.blocks * grid.threads;
  queue.chain(grid_stride_chain(x.n, Share::width, threads) + chain + threads / threads_per_atomic);
}

template <class Share, class Op>
void shuffle_warp_atomic_run(Queue& queue, const Reduce<Op>& x) {
  shuffle_atomic_run<Share>(queue, x, shuffle_warp_atomic_kernel<Op, Share>, warp_size, warp_reduce_chain);
}

template <class Share, class Op>
void shuffle_block_atomic_run(Queue& queue, const Reduce<Op>& x) {
  shuffle_atomic_run<Share>(queue, x, shuffle_block_atomic_kernel<Op, Share>, queue.parameter("block"),
                            block_reduce_chain);
}

/// Calls run(Unrolled<loads>()) for the loads of a case.
template <class Run>
void with_unrolled(const Queue& queue, Run run) {
  with_power_of_two<4, 8>(queue.parameter("loads"), [&](auto loads) { run(Unrolled<loads>()); });
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
