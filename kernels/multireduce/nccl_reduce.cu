// Model: n / GPUs inputs read by each GPU; then NCCL's kernel, which sends the table of each over NVLink once.
#include "kernels/multireduce/share_of_gpu.hpp"

namespace redbench {
namespace {

struct nccl_reduce : CallsNccl {
  static constexpr Card card =
      card_of_tables({.title = "several GPUs, whose tables ncclReduce joins on the first", .source = guide});

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    share_of_gpu(queue, x, x.result);
    reduce_by_nccl<Op>(queue, x.result, x.m);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, nccl_reduce)
}  // namespace redbench
