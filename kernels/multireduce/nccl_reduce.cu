// Model: n / GPUs inputs read by each GPU; then NCCL's kernel, which sends the table of each over NVLink once.
#include "kernels/gpus/nccl.hpp"
#include "kernels/multireduce/share_of_gpu.hpp"

namespace redbench {
namespace {

struct nccl_reduce {
  static constexpr Card card{.title = "several GPUs, whose tables ncclReduce joins on the first",
                             .source = "NCCL User Guide, collective operations",
                             .order = Order::commutative,
                             .reproducible = Reproducible::exact,
                             .parameters = {{share_block}}};

  template <class Op>
  static constexpr std::string_view refuses() {
    return refused_by_nccl<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    queue.chain(share_of_gpu(queue, x, x.result) + this_rank().count);
    reduce_by_nccl<Op>(queue, x.result, x.m);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, nccl_reduce)
}  // namespace redbench
