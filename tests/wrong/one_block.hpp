// Wrong reductions by one block over the whole input.
#pragma once

#include "kernels/parts/block_shuffle.hpp"
#include "kernels/parts/grid_stride.hpp"
#include "kernels/reduce/problem.hpp"
#include "tests/wrong/wrong_variant.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

struct OneBlock : FewPairs {
  static constexpr Card rest{.title = "", .source = "tests/wrong", .order = Order::commutative};
};

inline constexpr int wrong_block = 256;

/// Thread 0 returns the reduction of in[0..n). All threads of the one block call.
template <class Op>
__device__ typename Op::Value block_total(const typename Op::Value* in, Index n) {
  return block_reduce<Op>(grid_stride_reduce<Op, 1>(in, n));
}

template <class Op>
constexpr Grid one_block{.threads = wrong_block, .shared_bytes = wrong_block * sizeof(typename Op::Value)};

inline Index one_block_chain(Index n) { return grid_stride_chain(n, 1, wrong_block) + block_reduce_chain; }

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

}  // namespace REDBENCH_TARGET
}  // namespace redbench

/// Registers the kernel of this name, which takes (in, n, result).
#define WRONG_REDUCTION(name, what) \
  WRONG_VARIANT(Reduce, name, OneBlock, what, { run_one_block(queue, x, name<Op>); })
