// Model: n / GPUs values read by each GPU, one launch for each; then NCCL's kernel for one value of each: a launch and
// trips over NVLink, no bandwidth. All GPUs get the result; the first's is checked.
#include "kernels/gpus/nccl.hpp"
#include "kernels/reduce/result_of_gpu.hpp"

namespace redbench {
namespace {

struct nccl_allreduce : CallsNccl {
  static constexpr Card card = card_of_results(
      {.title = "several GPUs, one launch each: then ncclAllReduce of their results, which all get",
       .source = guide,
       .reproducible = Reproducible::exact});

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    result_of_gpu(queue, x);
    all_reduce_by_nccl<Op>(queue, x.result, 1);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, nccl_allreduce)
}  // namespace redbench
