#include <algorithm>

#include "kernels/multireduce/problem.hpp"

namespace redbench {
namespace {

struct cpu_sequential {
  static constexpr Card card{.title = "a bucket for each label, one loop on one core",
                             .source = "Eilers 2014, Alg. 2.2",
                             .order = Order::any};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    queue.on_host([=] {
      const Op op;
      std::fill(x.result, x.result + x.m, Op::identity());
      for (Index i = 0; i < x.n; ++i) {
        auto& bucket = x.result[x.labels[i]];
        bucket = op(bucket, x.values[i]);
      }
    });
    queue.chain(x.n);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, cpu_sequential)
}  // namespace redbench
