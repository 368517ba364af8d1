// Model: n / GPUs inputs read by each GPU; then m results of each are copied to the host, joined there, and copied back.
#include "kernels/multireduce/share_of_gpu.hpp"

namespace redbench {
namespace {

struct host {
  static constexpr Card card = card_of_tables({.title = "several GPUs, whose tables are joined by the CPU",
                                               .source = "CUDA samples, simpleMultiGPU",
                                               .synchronizes = true});

  template <class Op>
  static constexpr std::string_view refuses() {
    return no_atomic_combine<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    share_of_gpu(queue, x, x.result);
    reduce_on_host<Op>(queue, x.result, x.m);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, host)
}  // namespace redbench
