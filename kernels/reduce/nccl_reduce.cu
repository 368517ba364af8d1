// Model: n / GPUs values read by each GPU, one launch for each; then NCCL's kernel, which brings one value of each to the
// first: a launch and trips over NVLink, no bandwidth.
#include "kernels/gpus/nccl.hpp"
#include "kernels/reduce/result_of_gpu.hpp"

namespace redbench {
namespace {

struct nccl_reduce {
  static constexpr Card card{
      .title = "several GPUs, one launch each: then ncclReduce of their results to the first",
      .source = "NCCL User Guide, collective operations",
      .order = Order::commutative,
      .reproducible = Reproducible::exact,
      .minimum_capability = 80,
      .parameters = {{one_launch_block, one_launch_loads, one_launch_per_sm, one_launch_waves}}};

  template <class Op>
  static constexpr std::string_view refuses() {
    return refused_by_nccl<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    result_of_gpu(queue, x);
    reduce_by_nccl<Op>(queue, x.result, 1);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, nccl_reduce)
}  // namespace redbench
