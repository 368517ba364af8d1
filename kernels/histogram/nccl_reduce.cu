// Model: n / GPUs labels read by each GPU; then NCCL's kernel, which sends the counts of each over NVLink once.
#include "kernels/histogram/share_of_gpu.hpp"

namespace redbench {
namespace {

struct nccl_reduce : CallsNccl {
  static constexpr Card card =
      card_of_tables({.title = "several GPUs, whose counts ncclReduce joins on the first", .source = guide});

  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    share_of_gpu(queue, x, x.result);
    reduce_by_nccl<Sum<u32>>(queue, x.result, x.m);
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, nccl_reduce)
}  // namespace redbench
