#include "kernels/multiscan/sheffler.hpp"

namespace redbench {
namespace {

struct sheffler_shared {
  static constexpr Card card{
      .title = "Sheffler's spine trees, nodes and buckets of a block's segment in shared memory",
      .source =
          "Eilers 2014, 5.4.3, Alg. 5.2; that labels and values are read twice is inferred: there is no "
          "room for them; 62 threads and 256 labels need 48 bytes more than 48 kB",
      .order = Order::any,
      .maximum_m = most_sheffler_labels,
      .parameters = {
          {{"threads", 32, 2, 128, Step::one,
            "5.4.3: 32, three blocks for each multiprocessor, or 62, one; segments are its square"},
           spine_condition}}};

  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
    with_condition(queue, [&]<bool published>(std::bool_constant<published>) {
      run_sheffler_in_shared<Op, published>(queue, x, queue.parameter("threads"));
    });
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, sheffler_shared)
}  // namespace redbench
