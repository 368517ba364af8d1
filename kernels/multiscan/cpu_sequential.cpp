#include <algorithm>

#include "kernels/multiscan/problem.hpp"

namespace redbench {
namespace {

template <class Op, bool inclusive>
void scan(const Multiscan<Op>& x, typename Op::Value* buckets) {
  const Op op;
  std::fill(buckets, buckets + x.m, Op::identity());
  for (Index i = 0; i < x.n; ++i) {
    auto& bucket = buckets[x.labels[i]];
    if constexpr (!inclusive) x.result[i] = bucket;
    bucket = op(bucket, x.values[i]);
    if constexpr (inclusive) x.result[i] = bucket;
  }
}

struct cpu_sequential {
  static constexpr Card card{.title = "a bucket for each label, one loop on one core",
                             .source = "Eilers 2014, Alg. 2.3",
                             .order = Order::any,
                             .pages = Pages::small};

  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
    auto* const buckets = queue.scratch<typename Op::Value>(x.m);
    queue.on_host([=] { x.inclusive ? scan<Op, true>(x, buckets) : scan<Op, false>(x, buckets); });
    queue.chain(x.n);
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, cpu_sequential)
}  // namespace redbench
