// Model: n / GPUs labels read by each GPU; then NCCL's kernel, which sends the counts of each over NVLink once. The results
// stay spread over the GPUs: bringing them to one, as the other variants do, is not in the time.
#include "kernels/histogram/share_of_gpu.hpp"

namespace redbench {
namespace {

struct nccl_reduce_scatter : CallsNccl {
  static constexpr Card card = card_of_tables(
      {.title = "several GPUs, whose counts ncclReduceScatter joins: each keeps its part of the labels",
       .source = guide});

  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    u32* const counts = table_in_parts(queue, x.result, x.m);
    share_of_gpu(queue, x, counts);
    reduce_into_parts_by_nccl<Sum<u32>>(queue, counts, x.result, x.m);
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, nccl_reduce_scatter)
}  // namespace redbench
