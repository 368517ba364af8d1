#include <algorithm>

#include "kernels/multiscan/problem.hpp"
#include "kernels/parts/partial_radix_sort.hpp"

namespace redbench {
namespace {

/// What is sorted along with its label (Alg. 2.5): the index says where the result goes.
template <class T>
struct IndexValue {
  u32 index;
  T value;
};

template <class T>
[[REDBENCH_AS_WRITTEN]] void make_pairs(const T* values, Index n, IndexValue<T>* pairs) {
  for (Index i = 0; i < n; ++i) pairs[i] = {u32(i), values[i]};
}

/// The second loop of Alg. 2.3 over inputs in any order: `at(i)` is the index and the value of the i-th.
template <class Op, bool inclusive, class At, class T = typename Op::Value>
[[REDBENCH_AS_WRITTEN]] void scan_by_label(const u32* labels, Index n, const At at, T* buckets, T* result) {
  const Op op;
  for (Index i = 0; i < n; ++i) {
    const IndexValue<T> input = at(i);
    T& bucket = buckets[labels[i]];
    if constexpr (!inclusive) result[input.index] = bucket;
    bucket = op(bucket, input.value);
    if constexpr (inclusive) result[input.index] = bucket;
  }
}

template <class Op, class At>
void multiscan(const Multiscan<Op>& x, const u32* labels, const At at, typename Op::Value* buckets) {
  std::fill(buckets, buckets + x.m, Op::identity());
  if (x.inclusive) scan_by_label<Op, true>(labels, x.n, at, buckets, x.result);
  else scan_by_label<Op, false>(labels, x.n, at, buckets, x.result);
}

struct cpu_presorted {
  static constexpr Card card{
      .title = "the loop of cpu_sequential after a partial radix sort of pairs of index and value",
      .source = "Eilers 2014, 2.4, Alg. 2.5, mended: one sort, by the top bits; it is part of the time",
      .order = Order::any,
      .maximum_n = Index(1) << 32,
      .pages = Pages::small,
      .parameters = {{presort_bits, presort_threshold, presort_digit}}};

  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
    using T = typename Op::Value;
    using Pair = IndexValue<T>;
    const PartialSort sort(queue, x.m, int(queue.parameter("digit_bits")));
    auto* const buckets = queue.scratch<T>(x.m);
    queue.chain(x.n);
    if (sort.passes() == 0) {
      queue.on_host([=] {
        multiscan(x, x.labels, [values = x.values](Index i) { return Pair{u32(i), values[i]}; }, buckets);
      });
      return;
    }
    auto* const pairs = queue.scratch<Pair>(x.n);
    const SortScratch<Pair> scratch(queue, sort, x.n);
    queue.on_host([=] {
      make_pairs(x.values, x.n, pairs);
      const LabelledValues<Pair> sorted = partial_radix_sort<Pair>(sort, {x.labels, pairs}, x.n, scratch);
      multiscan(x, sorted.labels, [in = sorted.values](Index i) { return in[i]; }, buckets);
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, cpu_presorted)
}  // namespace redbench
