// Model: n / GPUs values read by each GPU, one launch for each; then NCCL's kernel, which brings one value of each to the
// first: a launch and trips over NVLink, no bandwidth.
#include "kernels/gpus/nccl.hpp"
#include "kernels/reduce/result_of_gpu.hpp"

namespace redbench {
namespace {

struct nccl_reduce : CallsNccl {
  static constexpr Card card = card_of_results(
      {.title = "several GPUs, one launch each: then ncclReduce of their results to the first",
       .source = guide,
       .reproducible = Reproducible::exact});

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    result_of_gpu(queue, x);
    reduce_by_nccl<Op>(queue, x.result, 1);
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, nccl_reduce)
}  // namespace redbench
