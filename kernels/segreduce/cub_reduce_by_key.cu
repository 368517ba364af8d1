#if defined(__CUDACC__)
#include <cub/device/device_reduce.cuh>
#endif

#include "kernels/parts/library_pairs.hpp"
#include "kernels/parts/runs.hpp"
#include "kernels/segreduce/problem.hpp"

namespace redbench {
namespace {

struct cub_reduce_by_key {
  static constexpr Card card{.title = "cub::DeviceReduce::ReduceByKey with the owners as keys",
                             .source = "Eilers 2014, 3.3",
                             .order = Order::any,
                             .reproducible = Reproducible::exact,
                             .library_only = true};

  template <class Op>
  static constexpr std::string_view refuses() {
    return library_refuses<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const SegReduce<Op>& x) {
#if defined(__CUDACC__)
    x.needs_owners(queue);
    const auto runs = runs_scratch<typename Op::Value>(queue, x.m);
    queue.library([=](void* temporary, std::size_t& bytes, void* stream) {
      return int(::cub::DeviceReduce::ReduceByKey(temporary, bytes, x.owners, runs.owners, x.values,
                                                  runs.values, runs.count, Op(), x.n,
                                                  static_cast<cudaStream_t>(stream)));
    });
    scatter_runs<Op>(queue, runs, x.result, x.m);
    queue.chain(by_key_chain(x.n));
#endif
  }
};

}  // namespace
REDBENCH_VARIANT(SegReduce, cub_reduce_by_key)
}  // namespace redbench
