// Reductions whose threads do not wait for each other as they should, or for ever, each as it is named.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

/// Caught by the limit on how long a case may be silent.
template <class Op>
__global__ void hangs(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = reduction;
  while (true) asm volatile("");  // or nvcc takes the loop away
}
WRONG_REDUCTION(hangs, "spins for ever")

/// Caught by the report on who waits where: half the block waits at one barrier, half at another.
template <class Op>
__global__ void divergent_barrier(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x < wrong_block / 2) __syncthreads();
  else named_barrier_sync(1, wrong_block);
  if (threadIdx.x == 0) *out = reduction;
}
WRONG_REDUCTION(divergent_barrier, "a barrier inside a branch")

/// Caught by the check that all lanes of a mask call the same operation.
template <class Op>
__global__ void mixed_collective(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto reduction = block_total<Op>(in, n);
  if (threadIdx.x % 2) shuffle_down(full_mask, reduction, 1);
  else shuffle_up(full_mask, reduction, 1);
  if (threadIdx.x == 0) *out = reduction;
}
WRONG_REDUCTION(mixed_collective, "lanes of one warp call different shuffles")

/// Caught by schedules that a seed shuffles, and by the race detector: a step reads what other warps write.
template <class Op>
__global__ void no_barrier(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const int t = threadIdx.x;
  const Op op;
  s[t] = grid_stride_reduce<Op, 1>(in, n);
  __syncthreads();
  for (int stride = wrong_block / 2; stride > 0; stride /= 2)
    if (t < stride) s[t] = op(s[t], s[t + stride]);
  if (t == 0) *out = s[0];
}
WRONG_REDUCTION(no_barrier, "no barrier between the steps of the tree")

/// Caught by the race detector: within a warp, too, a word is read before and after its owner writes it.
template <class Op>
__global__ void no_warp_barrier(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const int t = threadIdx.x;
  const Op op;
  s[t] = grid_stride_reduce<Op, 1>(in, n);
  __syncthreads();
  for (int stride = wrong_block / 2; stride >= warp_size; stride /= 2) {
    if (t < stride) s[t] = op(s[t], s[t + stride]);
    __syncthreads();
  }
  if (t < warp_size)
    for (int stride = warp_size / 2; stride > 0; stride /= 2) s[t] = op(s[t], s[t + stride]);
  if (t == 0) *out = s[0];
}
WRONG_REDUCTION(no_warp_barrier, "relies on a warp in step")

/// Caught by schedules that a seed shuffles, and by the race detector: the first thread writes what one of
/// the second warp reads. With the threads in order the result is right.
template <class Op>
__global__ void lucky_order(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const auto reduction = block_total<Op>(in, n);
  __syncthreads();
  if (threadIdx.x == 0) s[0] = reduction;
  if (threadIdx.x == warp_size) *out = s[0];
}
WRONG_REDUCTION(lucky_order, "no barrier between a writer and its reader")

/// Caught by the race detector alone: the thread that writes has ended before the barrier, which so orders
/// nothing of it (PTX ISA, 8.9.4), but waits for its end.
template <class Op>
__global__ void returns_early(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) s[0] = reduction;
  if (threadIdx.x == 0) return;
  __syncthreads();
  if (threadIdx.x == warp_size) *out = s[0];
}
WRONG_REDUCTION(returns_early, "leaves before the barrier what others read behind it")

/// Caught by the race detector alone: a counter is read while others may still add to it. The result does not
/// depend on it, so it is right under every schedule.
template <class Op>
__global__ void atomic_plain(const typename Op::Value* in, Index n, typename Op::Value* out) {
  __shared__ unsigned arrived;
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) arrived = 0;
  __syncthreads();
  atomicAdd(&arrived, 1u);
  if (threadIdx.x == 0 && arrived > 0) *out = reduction;
}
WRONG_REDUCTION(atomic_plain, "reads a counter that others add to")

/// Caught by the race detector alone: the second reduction writes the scratch that the first may still read.
/// They write the same values, so the result is right under every schedule.
template <class Op>
__global__ void reuse_race(const typename Op::Value* in, Index n, typename Op::Value* out) {
  block_total<Op>(in, n);
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = reduction;
}
WRONG_REDUCTION(reuse_race, "shared memory used again without a barrier")

/// Caught by the race detector alone: a word is handed over by a named barrier, and written again before it
/// is known to be taken. It is the same value, so the result is right under every schedule.
template <class Op>
__global__ void named_reuse(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x < warp_size) {
    if (threadIdx.x == 0) s[0] = reduction;
    named_barrier_arrive(1, 2 * warp_size);
    if (threadIdx.x == 0) s[0] = reduction;
  } else if (threadIdx.x < 2 * warp_size) {
    named_barrier_sync(1, 2 * warp_size);
    if (threadIdx.x == warp_size) *out = s[0];
  }
}
WRONG_REDUCTION(named_reuse, "no barrier back after a hand-over")

/// Caught by the race detector alone: a named barrier over one warp where two come to it, so that each warp
/// meets itself alone. The word holds the value from before, so the result is right under every schedule.
template <class Op>
__global__ void named_count(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) s[0] = reduction;
  __syncthreads();
  if (threadIdx.x < warp_size) {
    if (threadIdx.x == 0) s[0] = reduction;
    named_barrier_arrive(1, warp_size);
  } else if (threadIdx.x < 2 * warp_size) {
    named_barrier_sync(1, warp_size);
    if (threadIdx.x == warp_size) *out = s[0];
  }
}
WRONG_REDUCTION(named_count, "a named barrier over too few threads")

/// Of the reductions in one launch by many blocks, whose state outlives a launch in a __device__ variable.
struct OneLaunch : OneBlock {
  template <class Op>
  static constexpr std::string_view refuses() {
    return std::is_same_v<Op, Sum<i32>> ? "" : "a wrong kernel, built for a sum of integers";
  }
};

Index blocks_of(Index n) { return std::max<Index>(1, ceil_div(n, wrong_block)); }

/// Sum and count of blocks in one word; thread 0 of the block that makes the count `enough` writes the result.
template <class Op>
__device__ bool add_with_count(typename Op::Value reduction, unsigned long long* arrived, unsigned enough,
                               typename Op::Value* out) {
  if (threadIdx.x != 0) return false;
  const unsigned long long before = atomicAdd(arrived, 1ull << 48 | u32(reduction));
  const bool completes = (before >> 48) + 1 == enough;
  if (completes) *out = typename Op::Value(u32(before) + u32(reduction));
  return completes;
}

/// Caught by the poison that outputs hold before each run: the second run's count never comes to the grid's.
__device__ unsigned long long never_cleared;
template <class Op>
__global__ void count_kept(const typename Op::Value* in, Index n, typename Op::Value* out) {
  add_with_count<Op>(block_total<Op>(in, n), &never_cleared, gridDim.x, out);
}
WRONG_VARIANT(Reduce, count_kept, OneLaunch, "the last block does not clear the count of blocks", {
  launch(queue, Grid{.blocks = blocks_of(x.n), .threads = wrong_block}, count_kept<Op>, x.values, x.n,
         x.result);
})

/// Caught by the comparison: one block's sum is missing.
__device__ unsigned long long cleared_early;
template <class Op>
__global__ void early_count(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const unsigned enough = gridDim.x > 1 ? gridDim.x - 1 : 1;
  if (add_with_count<Op>(block_total<Op>(in, n), &cleared_early, enough, out)) cleared_early = 0;
}
WRONG_VARIANT(Reduce, early_count, OneLaunch, "the last block but one writes the result", {
  launch(queue, Grid{.blocks = blocks_of(x.n), .threads = wrong_block}, early_count<Op>, x.values, x.n,
         x.result);
})

/// Caught by the race detector alone: the last block may see the others' tickets before their results.
__device__ unsigned unfenced_ticket;
template <class Op>
__global__ void no_fence(const typename Op::Value* in, Index n, typename Op::Value* partial,
                         typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = reduction;
  if (atomicInc(&unfenced_ticket, gridDim.x - 1) != gridDim.x - 1) return;
  auto total = Op::identity();
  for (unsigned i = 0; i < gridDim.x; ++i) total = Op()(total, partial[i]);
  *out = total;
}
WRONG_VARIANT(Reduce, no_fence, OneLaunch, "no fence between a block's result and its ticket", {
  const Index blocks = blocks_of(x.n);
  launch(queue, Grid{.blocks = blocks, .threads = wrong_block}, no_fence<Op>, x.values, x.n,
         queue.scratch<typename Op::Value>(blocks), x.result);
})

/// Caught by the race detector alone: a flag in a word of its own says nothing of the word beside it.
__device__ unsigned flags_started, flags[1 << 16];
template <class Op>
__global__ void flag_apart(const typename Op::Value* in, Index n, typename Op::Value* partial,
                           typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x != 0) return;
  partial[blockIdx.x] = reduction;
  relaxed_store(&flags[blockIdx.x], 1);
  if (atomicInc(&flags_started, gridDim.x - 1) != gridDim.x - 1) return;
  auto total = Op::identity();
  for (unsigned i = 0; i < gridDim.x; ++i) {
    while (*static_cast<volatile unsigned*>(&flags[i]) == 0) __nanosleep(20);
    flags[i] = 0;
    total = Op()(total, partial[i]);
  }
  *out = total;
}
WRONG_VARIANT(Reduce, flag_apart, OneLaunch, "a result and its flag in two words, without a fence", {
  const Index blocks = blocks_of(x.n);
  if (blocks > 1 << 16) queue.refuse("has flags for 2^16 blocks");
  launch(queue, Grid{.blocks = blocks, .threads = wrong_block}, flag_apart<Op>, x.values, x.n,
         queue.scratch<typename Op::Value>(blocks), x.result);
})

}  // namespace
}  // namespace redbench
