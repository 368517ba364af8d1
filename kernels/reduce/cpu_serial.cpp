#include "kernels/parts/wide_accumulation.hpp"
#include "kernels/reduce/problem.hpp"

namespace redbench {
namespace {

struct cpu_serial {
  static constexpr Card card{.title = "one loop on one core; single precision accumulates in double",
                             .source = "slides, the problem's definition",
                             .order = Order::any};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    queue.on_host([=] { *x.result = convert<typename Op::Value>(wide_reduce<Op>(x.values, x.n)); });
    queue.chain(wide_chain<Op>(x.n));
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, cpu_serial)
}  // namespace redbench
