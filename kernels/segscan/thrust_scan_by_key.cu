#if defined(__CUDACC__)
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/scan.h>
#endif

#include "kernels/parts/library_pairs.hpp"
#include "kernels/parts/library_reduce.hpp"
#include "kernels/parts/runs.hpp"
#include "kernels/segscan/problem.hpp"

namespace redbench {
namespace {

/// Upper bound of what Thrust's scan_by_key allocates: a status, a partial result and a key for each tile, of
/// at least 512 values (CCCL 3.0, thrust/system/cuda/detail/scan_by_key.h, cub's tuning_scan_by_key.cuh).
constexpr std::size_t by_key_bytes(Index n) { return std::size_t(ceil_div(n, 512)) * 128 + (1 << 16); }

struct thrust_scan_by_key {
  static constexpr Card card{.title = "thrust::exclusive_scan_by_key with the owners as keys",
                             .source = "Eilers 2014, 3.3, Fig. 3.6",
                             .order = Order::any,
                             .reproducible = Reproducible::exact,
                             .library_only = true};

  template <class Op>
  static constexpr std::string_view refuses() {
    return library_refuses<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const SegScan<Op>& x) {
#if defined(__CUDACC__)
    if (x.n == 0) return;
    queue.library([=](void* temporary, std::size_t& bytes, void* stream) {
      if (temporary == nullptr) {
        bytes = by_key_bytes(x.n);
        return int(cudaSuccess);
      }
      ScratchAllocator scratch(temporary, bytes);
      ::thrust::exclusive_scan_by_key(
          ::thrust::cuda::par_nosync(scratch).on(static_cast<cudaStream_t>(stream)), x.owners, x.owners + x.n,
          x.values, x.result, Op::identity(), ::thrust::equal_to<u32>(), Op());
      return int(cudaGetLastError());
    });
    queue.chain(by_key_chain(x.n));
#endif
  }
};

}  // namespace
REDBENCH_VARIANT(SegScan, thrust_scan_by_key)
}  // namespace redbench
