// Meant to be caught by rows whose values add up to the identity: Sheffler's condition as it was published
// (kernels/multiscan/sheffler.hpp).
#include "kernels/multiscan/sheffler.hpp"
#include "tests/wrong/few_pairs.hpp"

namespace redbench {
namespace {

struct published_sheffler : FewPairs {
  static constexpr Card card{.title = "wrong: a row's sum is handed on where it is not the identity",
                             .source = "tests/wrong"};
  template <class Op>
  static void run(Queue& queue, const Multiscan<Op>& x) {
    run_sheffler_in_shared(queue, x, {.side = 32, .published = true});
  }
};

}  // namespace
REDBENCH_VARIANT(Multiscan, published_sheffler)
}  // namespace redbench
