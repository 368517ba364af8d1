#include "kernels/parts/wide_accumulation.hpp"
#include "kernels/triple_reduce/problem.hpp"

namespace redbench {
namespace {

struct cpu_serial {
  static constexpr Card card{
      .title = "a loop per component on one core; single precision accumulates in double",
      .source = "the problem's definition",
      .order = Order::any};

  template <class Op>
  static void run(Queue& queue, const TripleReduce<Op>& x) {
    queue.on_host([=] {
      for (int k = 0; k < 3; ++k)
        x.result[k] = convert<typename Op::Value>(wide_reduce<Op>(x.component[k], x.n, x.stride));
    });
    queue.chain(wide_chain<Op>(x.n));
  }
};

}  // namespace
REDBENCH_VARIANT(TripleReduce, cpu_serial)
}  // namespace redbench
