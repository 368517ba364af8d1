// Model: n / GPUs labels read by each GPU; then m counts of each are copied to the host, joined there, and copied back.
#include "kernels/histogram/share_of_gpu.hpp"

namespace redbench {
namespace {

struct host {
  static constexpr Card card = card_of_tables({.title = "several GPUs, whose counts are joined by the CPU",
                                               .source = "CUDA samples, simpleMultiGPU",
                                               .synchronizes = true});

  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    share_of_gpu(queue, x, x.result);
    reduce_on_host<Sum<u32>>(queue, x.result, x.m);
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, host)
}  // namespace redbench
