// Model: n / GPUs inputs read by each GPU; then NCCL's kernel, which sends the table of each over NVLink once. The results
// stay spread over the GPUs: bringing them to one, as the other variants do, is not in the time.
#include "kernels/gpus/nccl.hpp"
#include "kernels/multireduce/share_of_gpu.hpp"

namespace redbench {
namespace {

struct nccl_reduce_scatter {
  static constexpr Card card{
      .title = "several GPUs, whose tables ncclReduceScatter joins: each keeps its part of the labels",
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
    using T = typename Op::Value;
    const Rank rank = this_rank();
    const Index share = ceil_div(x.m, Index(rank.count));  // a last one may have fewer labels, or none
    T* const table = rank.count == 1 ? x.result : queue.scratch<T>(share * rank.count);
    queue.chain(share_of_gpu(queue, x, table) + rank.count);
    reduce_scatter_by_nccl<Op>(queue, table, x.result, share);
    const Index labels = std::clamp<Index>(x.m - rank.number * share, 0, share);
    leave_part(queue, x.result, std::size_t(labels) * sizeof(T));
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, nccl_reduce_scatter)
}  // namespace redbench
