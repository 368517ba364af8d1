// Model: n / GPUs values read by each GPU, one launch for each; then a copy of each result to the host, which takes
// about 10 us, the join there, and a copy back.
#include "kernels/reduce/result_of_gpu.hpp"

namespace redbench {
namespace {

struct host {
  static constexpr Card card =
      card_of_results({.title = "several GPUs, one launch each: their results are joined by the CPU",
                       .source = "CUDA samples, simpleMultiGPU",
                       .synchronizes = true});

  template <class Op>
  static void run(Queue& queue, const Reduce<Op>& x) {
    using T = typename Op::Result;
    const Rank rank = this_rank();
    result_of_gpu(queue, x);
    join_on_host(queue, x.result, sizeof(T), [&](void* all) {
      T* const of_gpu = static_cast<T*>(all);
      for (int r = 1; r < rank.count; ++r) of_gpu[0] = OnResults<Op>()(of_gpu[0], of_gpu[r]);
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Reduce, host)
}  // namespace redbench
