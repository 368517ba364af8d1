// Model: n / GPUs inputs read by each GPU. A second launch waits until all GPUs have their tables; each then reads its
// share of the labels from all of them, m / GPUs of each over NVLink, and writes it to the first GPU.
#include "kernels/multireduce/share_of_gpu.hpp"

namespace redbench {
namespace {

struct peer {
  static constexpr Card card = card_of_tables(
      {.title = "several GPUs, each of which reduces a share of the labels over the tables of all",
       .source = "CUDA C++ Programming Guide, peer-to-peer memory access, memory fence functions"});

  template <class Op>
  static constexpr std::string_view refuses() {
    return no_atomic_combine<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    share_of_gpu(queue, x, x.result);
    reduce_by_peers<Op>(queue, x.result, x.m);
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, peer)
}  // namespace redbench
