// Wrong multisplits: a counting sort by one thread. Right but for the fault that each is named after.
#include "kernels/multisplit/problem.hpp"
#include "tests/wrong/wrong_variant.hpp"

namespace redbench {
namespace {

struct ShortKeys : AnyPairs {
  static constexpr Card rest{.title = "", .source = "tests/wrong", .maximum_n = Index(1) << 17};
};

/// What is wrong.
struct Fault {
  Index whole = 1;         // keys past the last so many are not moved
  bool backwards = false;  // the last key of a bucket is put first
  Index early = 0;         // places by which each bucket but the first begins early
  bool values_stay = false;
};

__global__ void sort_by_counts(Multisplit<Right<u32>> x, Index* next, Fault fault) {
  for (Index bucket = 0; bucket < x.m; ++bucket) next[bucket] = 0;
  for (Index i = 0; i < x.n; ++i) ++next[x.keys[i] >> x.shift];
  Index before = 0;
  for (Index bucket = 0; bucket < x.m; ++bucket) {
    const Index count = next[bucket];
    next[bucket] = before > 0 ? before - fault.early : 0;
    before += count;
  }
  const Index moved = x.n / fault.whole * fault.whole;
  for (Index k = 0; k < moved; ++k) {
    const Index i = fault.backwards ? moved - 1 - k : k, to = next[x.keys[i] >> x.shift]++;
    x.result[to] = x.keys[i];
    if (x.pairs) x.result_values()[fault.values_stay ? i : to] = x.values[i];
  }
}

template <class Op>
void sort_with(Queue& queue, const Multisplit<Op>& x, const Fault& fault) {
  launch(queue, {}, sort_by_counts, x, queue.scratch<Index>(x.m), fault);
}

/// Caught by a bucket with two keys.
WRONG_VARIANT(Multisplit, unstable, ShortKeys, "keys of a bucket are moved from the last to the first",
              { sort_with(queue, x, {.backwards = true}); })

/// Caught where n is no multiple of 64.
WRONG_VARIANT(Multisplit, lost_tail, ShortKeys, "keys past the last whole tile are not moved",
              { sort_with(queue, x, {.whole = 64}); })

/// Caught by the second bucket.
WRONG_VARIANT(Multisplit, rank_off_by_one, ShortKeys, "places of all buckets but the first are one too low",
              { sort_with(queue, x, {.early = 1}); })

/// Caught by pairs that are not in order.
WRONG_VARIANT(Multisplit, values_stay, ShortKeys, "values stay where they are",
              { sort_with(queue, x, {.values_stay = true}); })

}  // namespace
}  // namespace redbench
