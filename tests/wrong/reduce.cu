// Wrong reductions: one block over the whole input, right but for the fault that each is named after.
#include "kernels/parts/block_shuffle.hpp"
#include "kernels/parts/grid_stride.hpp"
#include "kernels/reduce/problem.hpp"
#include "tests/wrong/wrong_variant.hpp"

namespace redbench {
namespace {

struct OneBlock : FewPairs {
  static constexpr Card rest{.title = "", .source = "tests/wrong", .order = Order::commutative};
};

constexpr int wrong_block = 256;

/// Thread 0 returns the reduction of in[0..n). All threads of the one block call.
template <class Op>
__device__ typename Op::Value block_total(const typename Op::Value* in, Index n) {
  return block_reduce<Op>(grid_stride_reduce<Op, 1>(in, n));
}

template <class Op>
constexpr Grid one_block{.threads = wrong_block, .shared_bytes = wrong_block * sizeof(typename Op::Value)};

Index one_block_chain(Index n) { return grid_stride_chain(n, 1, wrong_block) + block_reduce_chain; }

/// One block of `kernel(in, n, result)` with an element of dynamic shared memory per thread.
template <class Op>
void run_one_block(Queue& queue, const Reduce<Op>& x,
                   void (*kernel)(const typename Op::Value*, Index, typename Op::Value*)) {
  launch(queue, one_block<Op>, kernel, x.values, x.n, x.result);
  queue.chain(one_block_chain(x.n));
}

/// The same of `kernel(in, n, scratch, count, result)`, with `count` elements of scratch memory.
template <class Op>
void run_one_block(Queue& queue, const Reduce<Op>& x,
                   void (*kernel)(const typename Op::Value*, Index, typename Op::Value*, Index,
                                  typename Op::Value*),
                   Index count) {
  launch(queue, one_block<Op>, kernel, x.values, x.n, queue.scratch<typename Op::Value>(count), count,
         x.result);
  queue.chain(one_block_chain(x.n));
}

/// Registers the kernel of this name, which takes (in, n, result).
#define WRONG_REDUCTION(name, what) \
  WRONG_VARIANT(Reduce, name, OneBlock, what, { run_one_block(queue, x, name<Op>); })

/// Caught by the comparison with the exact answer, whose bound must be too narrow for a zero to pass.
template <class Op>
__global__ void zero(const typename Op::Value* in, Index n, typename Op::Value* out) {
  if (threadIdx.x == 0) *out = n < 0 ? in[0] : typename Op::Value{};
}
WRONG_REDUCTION(zero, "always zero")

/// Caught by the comparison with the exact answer at any size: one value of many is small beside their sum.
template <class Op>
__global__ void one_dropped(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n > 0 ? n - 1 : 0);
  if (threadIdx.x == 0) *out = reduction;
}
WRONG_REDUCTION(one_dropped, "the last value is left out")

/// Caught by the battery's sizes that are no multiple of a tile.
template <class Op>
__global__ void last_tile(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n / wrong_block * wrong_block);
  if (threadIdx.x == 0) *out = reduction;
}
WRONG_REDUCTION(last_tile, "the last, partial tile is skipped")

/// Caught by the checks at the timed n, as the battery's are smaller: for a sum of floats by the run on exact
/// values, as a tile is within the bound of rounding.
template <class Op>
__global__ void last_tile_of_many(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const Index taken = n > Index(1) << 24 ? n / wrong_block * wrong_block : n;
  const auto reduction = block_reduce<Op>(grid_stride_reduce<Op, 4>(in, taken));
  if (threadIdx.x == 0) *out = reduction;
}
WRONG_VARIANT(Reduce, last_tile_of_many, OneBlock, "above 2^24 values the last, partial tile is skipped", {
  launch(queue, one_block<Op>, last_tile_of_many<Op>, x.values, x.n, x.result);
  queue.chain(grid_stride_chain(x.n, 4, wrong_block) + block_reduce_chain);
})

/// Caught by the planted values where the operator takes one of many, and by the comparison where all count.
template <class Op>
__global__ void middle_tile(const typename Op::Value* in, Index n, typename Op::Value* out) {
  constexpr Index tile = 64;
  const Index skipped = n / 2 / tile;
  auto reduction = Op::identity();
  for (Index i = 0; i < n; ++i)
    if (n <= tile || i / tile != skipped) reduction = Op()(reduction, in[i]);
  *out = reduction;
}
struct ProductsToo : FewPairs {
  template <class Op>
  static constexpr std::string_view refuses() {
    return std::is_same_v<Op, Product<f32>> ? "" : FewPairs::refuses<Op>();
  }
};
WRONG_VARIANT(Reduce, middle_tile, ProductsToo, "a tile in the middle is skipped", {
  launch(queue, Grid{}, middle_tile<Op>, x.values, x.n, x.result);
  queue.chain(x.n);
})

/// Caught by the check of what the last sample left: on poisoned scratch memory, so in the other checks, it
/// is right.
template <class Op>
__global__ void timed_only(const typename Op::Value* in, Index n, u32* mark, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x != 0) return;
  *out = *mark == 5 ? Op::identity() : reduction;
  *mark = 5;
}
WRONG_VARIANT(Reduce, timed_only, OneBlock, "what it leaves in scratch memory spoils its next run", {
  launch(queue, one_block<Op>, timed_only<Op>, x.values, x.n, queue.scratch<u32>(1), x.result);
  queue.chain(one_block_chain(x.n));
})

/// Right where order does not matter.
template <class Op>
__global__ void reduce_in_a_block(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = reduction;
}

/// Caught by the non-commutative operators, affine and right: the card claims any order.
WRONG_VARIANT(Reduce, swapped, FewPairs, "claims input order and does not keep it",
              { run_one_block(queue, x, reduce_in_a_block<Op>); })

/// Caught by the poison that outputs hold before each run: nothing may stay from the run before.
template <class Op>
__global__ void stale(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0 && n > warp_size) *out = reduction;
}
WRONG_REDUCTION(stale, "writes no result where one warp has all the input")

/// Caught by the check for reads of memory that nobody wrote: the word that holds the result is taken for a
/// part of it.
template <class Op>
__global__ void unwritten_global(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = Op()(reduction, *out);
}
WRONG_REDUCTION(unwritten_global, "adds to a result that nobody wrote")

/// Caught by the poison that scratch memory holds before each run, and by the check for reads of memory that
/// nobody wrote.
template <class Op>
__global__ void unwritten_scratch(const typename Op::Value* in, Index n, typename Op::Value* scratch,
                                  Index count, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = Op()(reduction, scratch[count - 1]);
}
WRONG_VARIANT(Reduce, unwritten_scratch, OneBlock, "adds a word of scratch memory that nobody wrote",
              { run_one_block(queue, x, unwritten_scratch<Op>, 3); })

/// Caught by the check for reads of memory that nobody wrote.
template <class Op>
__global__ void unwritten(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = Op()(reduction, s[wrong_block - 1]);
}
WRONG_REDUCTION(unwritten, "adds a word of shared memory that nobody wrote")

/// Caught by the comparison of the inputs with a copy after the case.
template <class Op>
__global__ void writes_input(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *out = reduction;
  if (threadIdx.x == 0 && n > 0) const_cast<typename Op::Value*>(in)[n - 1] = reduction;
}
WRONG_REDUCTION(writes_input, "writes its input")

/// Caught by the red zone before the first buffer of a cell, and by the bounds check.
template <class Op>
__global__ void writes_before(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) const_cast<typename Op::Value*>(in)[-1] = reduction;
  if (threadIdx.x == 0) *out = reduction;
}
WRONG_REDUCTION(writes_before, "writes one value before the input")

/// Caught by the guard bytes behind the output, and by the bounds check.
template <class Op>
__global__ void writes_past(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) out[0] = out[1] = reduction;
}
WRONG_REDUCTION(writes_past, "writes one value past the output")

/// Caught by the red zone behind scratch memory, and by the bounds check.
template <class Op>
__global__ void writes_past_scratch(const typename Op::Value* in, Index n, typename Op::Value* scratch,
                                    Index count, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) scratch[count] = reduction;
  if (threadIdx.x == 0) *out = reduction;
}
WRONG_VARIANT(Reduce, writes_past_scratch, OneBlock, "writes one value past its scratch memory",
              { run_one_block(queue, x, writes_past_scratch<Op>, 3); })

/// Caught by the bounds check of global memory, and by the comparison with the exact answer.
template <class Op>
__global__ void reads_past(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n + 1);
  if (threadIdx.x == 0) *out = reduction;
}
WRONG_REDUCTION(reads_past, "takes what lies behind the input for a value")

/// Caught by the bounds check of static shared memory.
template <class Op>
__global__ void static_past(const typename Op::Value* in, Index n, typename Op::Value* out) {
  __shared__ typename Op::Value s[warp_size];
  const int t = threadIdx.x;
  const auto reduction = block_total<Op>(in, n);
  if (t <= warp_size) s[t] = reduction;
  __syncthreads();
  if (t == 1) *out = s[0];
}
WRONG_REDUCTION(static_past, "writes past a static shared array")

/// Caught by the bounds check of dynamic shared memory.
template <class Op>
__global__ void dynamic_past(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<typename Op::Value>();
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) s[wrong_block] = reduction;
  if (threadIdx.x == 0) *out = reduction;
}
WRONG_REDUCTION(dynamic_past, "writes past the dynamic shared memory")

/// Caught by the check of alignment: two words of shared memory are written as one, at an address that is no
/// multiple of 8. A CPU does that, so the result is right here.
template <class Op>
__global__ void misaligned(const typename Op::Value* in, Index n, typename Op::Value* out) {
  auto* s = dynamic_shared<unsigned>();
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *reinterpret_cast<unsigned long long*>(s + 1) = 1;
  __syncthreads();
  if (threadIdx.x == 1) s[2] = s[1];
  if (threadIdx.x == 0) *out = reduction;
}
WRONG_REDUCTION(misaligned, "a wide store to an odd word")

/// Caught by the worker process: an invalid address costs the case, not the run.
template <class Op>
__global__ void faults(const typename Op::Value* in, Index n, typename Op::Value* out) {
  const auto reduction = block_total<Op>(in, n);
  if (threadIdx.x == 0) *reinterpret_cast<typename Op::Value*>(std::uintptr_t(blockDim.x)) = reduction;
  if (threadIdx.x == 0) *out = reduction;
}
WRONG_REDUCTION(faults, "writes to an address that is not its own")

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

/// Caught where time is taken: `run` waits for the device, which its card does not say, so that the launch
/// gap cannot be hidden.
WRONG_VARIANT(Reduce, undeclared_wait, OneBlock, "waits for the device and does not say so", {
  run_one_block(queue, x, reduce_in_a_block<Op>);
  queue.on_host([] {});  // waits for what was launched
})

}  // namespace
}  // namespace redbench
