#include <omp.h>

#include "kernels/parts/wide_accumulation.hpp"
#include "kernels/reduce/problem.hpp"

namespace redbench {
namespace {

template <class Op>
typename Op::Value reduce_by_chunks(const typename Op::Value* in, Index n, int threads) {
  using Wide = typename WideOperator<Op>::type;
  /// Each result has a cache line of its own, so that no thread waits for another's write.
  struct alignas(64) Partial {
    typename Wide::Value value = Wide::identity();
  };
  std::vector<Partial> partial(threads);

  // partial[t] holds the reduction of the t-th of equal chunks, in order, whether or not OpenMP gave all
  // threads.
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int t = 0; t < threads; ++t) {
    const Index first = n * t / threads, end = n * (t + 1) / threads;
    partial[t].value = wide_reduce<Op>(in + first, end - first);
  }

  auto reduction = Wide::identity();
  for (const Partial& chunk : partial) reduction = Wide()(reduction, chunk.value);
  return convert<typename Op::Value>(reduction);
}

struct cpu_openmp {
  static constexpr Card card{
      .title = "OpenMP, a chunk per thread; single precision accumulates in double",
      .source = "slides, \"reduction OpenMP\"",
      .order = Order::any,
      .parameters = {{{"threads", 0, 0, 1024, Step::one, "0: one per core, as OpenMP does"}}}};

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    const Index wanted = queue.parameter("threads");
    const int threads = wanted ? int(wanted) : omp_get_max_threads();
    queue.on_host([=] { *x.result = reduce_by_chunks<Op>(x.values, x.n, threads); });
    queue.chain(wide_chain<Op>(ceil_div(x.n, threads) + threads));
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, cpu_openmp)
}  // namespace redbench
