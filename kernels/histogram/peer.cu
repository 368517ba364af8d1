// Model: n / GPUs labels read by each GPU. A second launch waits until all GPUs have their counts; each then reads its
// share of the labels from all of them, m / GPUs of each over NVLink, and writes it to the first GPU.
#include "kernels/histogram/share_of_gpu.hpp"

namespace redbench {
namespace {

struct peer {
  static constexpr Card card = card_of_tables(
      {.title = "several GPUs, each of which reduces a share of the labels over the counts of all",
       .source = "CUDA C++ Programming Guide, peer-to-peer memory access, memory fence functions"});

  template <class Op>
  static void run(Queue& queue, const Histogram<Op>& x) {
    share_of_gpu(queue, x, x.result);
    reduce_by_peers<Sum<u32>>(queue, x.result, x.m);
  }
};

}  // namespace
REDBENCH_VARIANT(Histogram, peer)
}  // namespace redbench
