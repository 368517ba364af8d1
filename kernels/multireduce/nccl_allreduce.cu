// Model: n / GPUs inputs read by each GPU; then NCCL's kernel, which sends about twice the table of each over NVLink. All
// GPUs get the result; the first's is checked.
#include "kernels/gpus/nccl.hpp"
#include "kernels/multireduce/share_of_gpu.hpp"

namespace redbench {
namespace {

struct nccl_allreduce {
  static constexpr Card card{.title = "several GPUs, whose tables ncclAllReduce joins on all of them",
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
    all_reduce_by_nccl<Op>(queue, x.result, x.m);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, nccl_allreduce)
}  // namespace redbench
