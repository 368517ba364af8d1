#if defined(__CUDACC__)
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#endif

#include "kernels/parts/library_pairs.hpp"
#include "kernels/parts/library_reduce.hpp"
#include "kernels/parts/runs.hpp"
#include "kernels/segreduce/problem.hpp"

namespace redbench {
namespace {

/// Upper bound of what Thrust's reduce_by_key allocates: a status and a partial result for each tile, of at
/// least 1024 values (CCCL 3.0, thrust/system/cuda/detail/reduce_by_key.h).
constexpr std::size_t by_key_bytes(Index n) { return std::size_t(ceil_div(n, 1024)) * 128 + (1 << 16); }

struct thrust_reduce_by_key {
  static constexpr Card card{.title = "thrust::reduce_by_key with the owners as keys",
                             .source = "Eilers 2014, 3.3",
                             .order = Order::any,
                             .reproducible = Reproducible::exact,
                             .library_only = true,
                             .synchronizes = true};

  template <class Op>
  static constexpr std::string_view refuses() {
    return library_refuses<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const SegReduce<Op>& x) {
#if defined(__CUDACC__)
    x.needs_owners(queue);
    const auto runs = runs_scratch<typename Op::Value>(queue, x.m);
    queue.library([=](void* temporary, std::size_t& bytes, void* stream_handle) {
      if (temporary == nullptr) {
        bytes = by_key_bytes(x.n);
        return int(cudaSuccess);
      }
      const auto stream = static_cast<cudaStream_t>(stream_handle);
      ScratchAllocator scratch(temporary, bytes);
      const auto end =
          ::thrust::reduce_by_key(::thrust::cuda::par_nosync(scratch).on(stream), x.owners, x.owners + x.n,
                                  x.values, runs.owners, runs.values, ::thrust::equal_to<u32>(), Op());
      const Index count = end.first - runs.owners;
      return int(cudaMemcpyAsync(runs.count, &count, sizeof(count), cudaMemcpyHostToDevice, stream));
    });
    scatter_runs<Op>(queue, runs, x.result, x.m);
    queue.chain(by_key_chain(x.n));
#endif
  }
};

}  // namespace
REDBENCH_VARIANT(SegReduce, thrust_reduce_by_key)
}  // namespace redbench
