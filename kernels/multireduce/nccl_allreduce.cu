// Model: n / GPUs inputs read by each GPU; then NCCL's kernel, which sends about twice the table of each over NVLink. All
// GPUs get the result; the first's is checked.
#include "kernels/multireduce/share_of_gpu.hpp"

namespace redbench {
namespace {

struct nccl_allreduce : CallsNccl {
  static constexpr Card card = card_of_tables(
      {.title = "several GPUs, whose tables ncclAllReduce joins on all of them", .source = guide});

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    share_of_gpu(queue, x, x.result);
    all_reduce_by_nccl<Op>(queue, x.result, x.m);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, nccl_allreduce)
}  // namespace redbench
