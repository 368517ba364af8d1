// Reductions whose result is wrong, each for the fault that it is named after.
#include "tests/wrong/one_block.hpp"

namespace redbench {
namespace {

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

/// Caught where time is taken: `run` waits for the device, which its card does not say, so that the launch
/// gap cannot be hidden.
WRONG_VARIANT(Reduce, undeclared_wait, OneBlock, "waits for the device and does not say so", {
  run_one_block(queue, x, reduce_in_a_block<Op>);
  queue.on_host([] {});  // waits for what was launched
})

}  // namespace
}  // namespace redbench
