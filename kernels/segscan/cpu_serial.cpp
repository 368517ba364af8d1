#include "kernels/segscan/problem.hpp"

namespace redbench {
namespace {

template <class Op>
void scan_segments(const SegScan<Op>& x) {
  auto before = Op::identity();
  for (Index i = 0; i < x.n; ++i) {
    if (i > 0 && x.owners[i] != x.owners[i - 1]) before = Op::identity();
    x.result[i] = before;
    before = Op()(before, x.values[i]);
  }
}

struct cpu_serial {
  static constexpr Card card{
      .title = "one loop on one core", .source = "the problem's definition", .order = Order::any};

  template <class Op>
  static void run(Queue& queue, const SegScan<Op>& x) {
    queue.on_host([=] { scan_segments(x); });
    queue.chain(x.n);
  }
};

}  // namespace
REDBENCH_VARIANT(SegScan, cpu_serial)
}  // namespace redbench
