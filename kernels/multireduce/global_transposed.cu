#include "kernels/multireduce/global_transposed.hpp"
#include "kernels/multireduce/problem.hpp"

namespace redbench {
namespace {

struct global_transposed {
  static constexpr Card card{
      .title = "a segment and a set of buckets in global memory for each thread, transposed fetch",
      .source = "Eilers 2014, 4.3.5, Alg. 4.7, 4.8; the end of the input is guarded",
      .order = Order::any,
      .parameters = {{{"block", 384, 32, 1024, Step::multiple_of_warp, "4.3.5: 6144 threads in 16 blocks"},
                      {"blocks", 16, 1, 4096, Step::one, "at most; 4.3.5: 6144 threads in 16 blocks"},
                      transposed_items,
                      fetched_loads}}};

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    global_transposed_run<Op>(queue, x.labels, x.values, x.n, x.m, x.result);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, global_transposed)
}  // namespace redbench
