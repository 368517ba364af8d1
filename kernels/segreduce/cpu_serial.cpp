#include <algorithm>

#include "kernels/parts/wide_accumulation.hpp"
#include "kernels/segreduce/problem.hpp"

namespace redbench {
namespace {

/// Runs of equal owners, one after the other; a segment without a run keeps the identity.
template <class Op>
void reduce_runs(const SegReduce<Op>& x) {
  std::fill(x.result, x.result + x.m, Op::identity());
  for (Index first = 0, end; first < x.n; first = end) {
    for (end = first + 1; end < x.n && x.owners[end] == x.owners[first];) ++end;
    x.result[x.owners[first]] = convert<typename Op::Value>(wide_reduce<Op>(x.values + first, end - first));
  }
}

template <class Op>
void reduce_ranges(const SegReduce<Op>& x) {
  for (Index segment = 0; segment < x.m; ++segment) {
    const Index first = x.offsets[segment], end = x.offsets[segment + 1];
    x.result[segment] = convert<typename Op::Value>(wide_reduce<Op>(x.values + first, end - first));
  }
}

struct cpu_serial {
  static constexpr Card card{.title = "one loop on one core; single precision accumulates in double",
                             .source = "the problem's definition",
                             .order = Order::any};

  template <class Op>
  static void run(Queue& queue, const SegReduce<Op>& x) {
    queue.on_host([=] { x.by_owners ? reduce_runs(x) : reduce_ranges(x); });
    queue.chain(wide_chain<Op>(x.n));
  }
};

}  // namespace
REDBENCH_VARIANT(SegReduce, cpu_serial)
}  // namespace redbench
