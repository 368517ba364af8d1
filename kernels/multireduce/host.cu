// Model: n / GPUs inputs read by each GPU; then m results of each are copied to the host, joined there, and copied back.
#include "kernels/multireduce/share_of_gpu.hpp"

namespace redbench {
namespace {

struct host {
  static constexpr Card card{.title = "several GPUs, whose tables are joined by the CPU",
                             .source = "CUDA samples, simpleMultiGPU",
                             .order = Order::commutative,
                             .reproducible = Reproducible::exact,
                             .synchronizes = true,
                             .parameters = {{share_block}}};

  template <class Op>
  static constexpr std::string_view refuses() {
    return no_atomic_combine<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const Multireduce<Op>& x) {
    using T = typename Op::Value;
    const Rank rank = this_rank();
    queue.chain(share_of_gpu(queue, x, x.result) + rank.count);
    join_on_host(queue, x.result, std::size_t(x.m) * sizeof(T), [&](void* all) {
      T* const tables = static_cast<T*>(all);
      for (int r = 1; r < rank.count; ++r)
        for (Index l = 0; l < x.m; ++l) tables[l] = Op()(tables[l], tables[r * x.m + l]);
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Multireduce, host)
}  // namespace redbench
