// Model: n / GPUs inputs read by each GPU; then NCCL's kernel, which sends the table of each over NVLink once. The results
// stay spread over the GPUs: bringing them to one, as the other variants do, is not in the time.
#include "kernels/multireduce/share_of_gpu.hpp"

namespace redbench {
namespace {

struct nccl_reduce_scatter : CallsNccl {
  static constexpr Card card = card_of_tables(
      {.title = "several GPUs, whose tables ncclReduceScatter joins: each keeps its part of the labels",
       .source = guide});

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    auto* const table = table_in_parts(queue, x.result, x.m);
    share_of_gpu(queue, x, table);
    reduce_into_parts_by_nccl<Op>(queue, table, x.result, x.m);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, nccl_reduce_scatter)
}  // namespace redbench
