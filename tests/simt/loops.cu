// Loops whose turns differ between lanes, and branches; each store is one request of the lanes that make it
// together.
#include "tests/simt/kernels.hpp"

namespace redbench {
namespace {

/// Lane t goes through the loop in[t] times.
TEST_KERNEL(uneven_loop) {
  const int t = threadIdx.x;
  int i = 0;
  do out[t] = ++i;
  while (i < in[t]);
  out[32 + t] = i;
}

/// In[t] turns; in each, every other lane goes each way, and both ways jump back themselves.
TEST_KERNEL(two_ways_back) {
  const int t = threadIdx.x;
  int i = 0;
  while (i != in[t]) {
    ++i;
    if ((t + i) % 2 == 0) {
      out[t] = i;
      continue;
    }
    out[32 + t] = -i;
  }
  out[64 + t] = i;
}

/// The loop ends in the middle of a turn, after in[t] whole ones.
TEST_KERNEL(break_between) {
  const int t = threadIdx.x;
  int i = 0;
  while (true) {
    out[t] = i;
    if (i == in[t]) {
      out[32 + t] = i;
      break;
    }
    if ((t + i) % 2 == 0) out[64 + t] = i;
    else out[96 + t] = -i;
    ++i;
  }
  out[128 + t] = i;
}

/// Inner loops of in[t] turns, as many as make 6 turns in all, one right at the start of the outer loop.
TEST_KERNEL(loop_at_the_start_of_a_loop) {
  const int t = threadIdx.x;
  int i = 0;
  do {
    int k = 0;
    do {
      out[t] = ++i;
      ++k;
    } while (k != in[t]);
    out[32 + t] = i;
  } while (i != 6);
}

/// Of n / 8 turns lane t returns in turn in[t]; the others go on, each way every other lane.
TEST_KERNEL(early_return) {
  const int t = threadIdx.x;
  int i = 0;
  while (i != n / 8) {
    if (i == in[t]) {
      out[32 + t] = i;
      return;
    }
    ++i;
    if ((t + i) % 2 == 0) {
      out[t] = i;
      continue;
    }
    out[64 + t] = -i;
  }
  out[96 + t] = i;
}

/// Within the branch that half of the lanes take, one of them returns.
TEST_KERNEL(return_in_a_branch) {
  const int t = threadIdx.x;
  if (t < 16) {
    if (t == in[0]) {
      out[t] = t;
      return;
    }
    out[32 + t] = t;
  }
  out[64 + t] = t;
}

/// The branch's second test has a way of its own to what the first one leads to.
TEST_KERNEL(either_of_two) {
  const int t = threadIdx.x;
  if (t < 8 || in[t] == 1) out[t] = t;
  out[32 + t] = t;
}

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
