// Model: n / GPUs labels read by each GPU; then NCCL's kernel, which sends about twice the counts of each over NVLink. All
// GPUs get the result; the first's is checked.
#include "kernels/histogram/share_of_gpu.hpp"

namespace redbench {
namespace {

struct nccl_allreduce : CallsNccl {
  static constexpr Card card = card_of_tables(
      {.title = "several GPUs, whose counts ncclAllReduce joins on all of them", .source = guide});

  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    share_of_gpu(queue, x, x.result);
    all_reduce_by_nccl<Sum<u32>>(queue, x.result, x.m);
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, nccl_allreduce)
}  // namespace redbench
