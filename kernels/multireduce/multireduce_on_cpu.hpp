// The multireduces on one core (Eilers 2014, chapter 2): they differ in the loop, in what it goes through,
// and in the pages.
#pragma once

#include "kernels/multireduce/problem.hpp"
#include "kernels/parts/partial_radix_sort.hpp"

namespace redbench {
inline namespace REDBENCH_TARGET {

template <class Op>
using BucketLoop = void (*)(const u32* labels, const typename Op::Value* values, Index n,
                            typename Op::Value* buckets);

/// Alg. 2.2 with `loop` as its second loop.
template <class Op>
void multireduce_on_cpu(Queue& queue, const Multireduce<Op>& x, BucketLoop<Op> loop) {
  queue.on_host([=] {
    std::fill(x.result, x.result + x.m, Op::identity());
    loop(x.labels, x.values, x.n, x.result);
  });
  queue.chain(x.n);
}

/// Sorts the inputs by the top bits of their labels, then runs Alg. 2.2; the time includes the sort.
template <class Op>
void presorted_multireduce_on_cpu(Queue& queue, const Multireduce<Op>& x, BucketLoop<Op> loop) {
  using T = typename Op::Value;
  const PartialSort sort(queue, x.m, int(queue.parameter("digit_bits")));
  const SortScratch<T> scratch(queue, sort, x.n);
  queue.on_host([=] {
    const LabelledValues<T> sorted = partial_radix_sort<T>(sort, {x.labels, x.values}, x.n, scratch);
    std::fill(x.result, x.result + x.m, Op::identity());
    loop(sorted.labels, sorted.values, x.n, x.result);
  });
  queue.chain(x.n);
}

}  // namespace REDBENCH_TARGET
}  // namespace redbench
