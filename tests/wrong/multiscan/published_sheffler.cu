// Caught by rows whose values add up to the identity: Sheffler's condition as it was published
// (kernels/multiscan/sheffler.hpp).
#include "kernels/multiscan/sheffler.hpp"
#include "tests/wrong/few_pairs.hpp"

namespace redbench {
namespace {

WRONG_VARIANT(Multiscan, FewPairs, "a row's sum is handed on where it is not the identity",
              { run_sheffler_in_shared(queue, x, {.side = 32, .published = true}); })

}  // namespace
}  // namespace redbench
