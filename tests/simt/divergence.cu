#include "tests/simt/kernels.hpp"

namespace redbench {
namespace {

/// One lane, in[0], does something that the others wait for.
TEST_KERNEL(one_lane_guard) {
  const int t = threadIdx.x;
  if (t == in[0]) out[32] = t;
  out[t] = t;
}
/// As much as nvcc predicates, and one access more.
TEST_KERNEL(guard_of_four_stores) {
  const int t = threadIdx.x;
  if (t == in[0]) out[32] = out[64] = out[96] = out[128] = t;
  out[threadIdx.x] = t;
}
TEST_KERNEL(guard_of_five_stores) {
  const int t = threadIdx.x;
  if (t == in[0]) out[32] = out[64] = out[96] = out[128] = out[159] = t;
  out[threadIdx.x] = t;
}

/// So many choices between values, one behind the other, by the lowest bits.
template <int count>
__device__ __attribute__((always_inline)) inline void choose(int bits, int& value) {
  if constexpr (count > 0) {
    if (bits & 1) asm volatile("" : "+r"(value));
    choose<count - 1>(bits >> 1, value);
  }
}
template <int choices>
__device__ __attribute__((always_inline)) inline void half_of_the_lanes_choose(const int* in, int* out) {
  const int t = threadIdx.x, bits = in[t];
  if (t < 16) {
    int value = t;
    choose<choices>(bits, value);
    out[32 + t] = value;
  }
  out[threadIdx.x] = t;
}
TEST_KERNEL(guard_of_seven_choices) { half_of_the_lanes_choose<7>(in, out); }
TEST_KERNEL(guard_of_eight_choices) { half_of_the_lanes_choose<8>(in, out); }

}  // namespace
}  // namespace redbench
