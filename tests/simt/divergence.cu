#include "tests/simt/kernels.hpp"

namespace redbench {
namespace {

/// One lane, in[0], does something that the others wait for.
TEST_KERNEL(one_lane_guard) {
  const int t = threadIdx.x;
  if (t == in[0]) out[32] = t;
  out[t] = t;
}

}  // namespace
}  // namespace redbench
