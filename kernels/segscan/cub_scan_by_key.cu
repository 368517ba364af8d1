#include "kernels/parts/device_scan_by_key.hpp"
#include "kernels/parts/library_pairs.hpp"
#include "kernels/parts/runs.hpp"
#include "kernels/segscan/problem.hpp"

namespace redbench {
namespace {

struct cub_scan_by_key {
  static constexpr Card card{.title = "cub::DeviceScan::ExclusiveScanByKey with the owners as keys",
                             .source = "not in the thesis: what Thrust calls",
                             .order = Order::any,
                             .reproducible = Reproducible::exact,
                             .library_only = true};

  template <class Op>
  static constexpr std::string_view refuses() {
    return library_refuses<Op>();
  }

  template <class Op>
  static void run(Queue& queue, const SegScan<Op>& x) {
    if (x.n == 0) return;
    exclusive_scan_by_key<Op>(queue, x.owners, x.values, x.result, x.n);
    queue.chain(by_key_chain(x.n));
  }
};

}  // namespace
REDBENCH_VARIANT(SegScan, cub_scan_by_key)
}  // namespace redbench
