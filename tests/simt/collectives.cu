#include "tests/simt/kernels.hpp"

namespace redbench {
namespace {

/// in[0]: lane, delta or mask; in[1]: width. Each lane brings 100 + its lane.
int value() { return 100 + int(threadIdx.x % 32); }

TEST_KERNEL(shfl) { out[threadIdx.x] = __shfl_sync(full_mask, value(), in[0], in[1]); }
TEST_KERNEL(shfl_up) { out[threadIdx.x] = __shfl_up_sync(full_mask, value(), unsigned(in[0]), in[1]); }
TEST_KERNEL(shfl_down) { out[threadIdx.x] = __shfl_down_sync(full_mask, value(), unsigned(in[0]), in[1]); }
TEST_KERNEL(shfl_xor) { out[threadIdx.x] = __shfl_xor_sync(full_mask, value(), in[0], in[1]); }

template <class T>
__device__ bool exchanges_whole_values() {
  const auto of = [](int lane) { return T(1) * (lane + 1) * (1ll << 33) + lane; };
  const int lane = int(threadIdx.x);
  return shuffle_down(full_mask, of(lane), 1) == of(lane < 31 ? lane + 1 : lane) &&
         shuffle(full_mask, of(lane), 7) == of(7);
}
TEST_KERNEL(shfl_of_8_bytes) {
  const bool affine = shuffle_xor(full_mask, AffineMap{threadIdx.x, 2 * threadIdx.x}, 1) ==
                      AffineMap{threadIdx.x ^ 1, 2 * (threadIdx.x ^ 1)};
  out[threadIdx.x] = exchanges_whole_values<long long>() && exchanges_whole_values<double>() && affine;
}
TEST_KERNEL(shfl_of_16_bytes) {
  const c64 mine{double(threadIdx.x), -double(threadIdx.x)};
  const c64 next = shuffle_up(full_mask, mine, 1);
  const double expected = threadIdx.x ? threadIdx.x - 1.0 : 0.0;
  out[threadIdx.x] = next == c64{expected, -expected};
}

TEST_KERNEL(ballot) { out[threadIdx.x] = int(__ballot_sync(full_mask, in[threadIdx.x])); }
TEST_KERNEL(all_any) {
  out[threadIdx.x] = __all_sync(full_mask, in[threadIdx.x]) + 2 * __any_sync(full_mask, in[threadIdx.x]);
}
TEST_KERNEL(match_any) { out[threadIdx.x] = int(__match_any_sync(full_mask, in[threadIdx.x])); }
TEST_KERNEL(match_all) {
  int equal = 7;
  const unsigned lanes = __match_all_sync(full_mask, in[threadIdx.x], &equal);
  out[threadIdx.x] = lanes == (equal ? full_mask : 0) ? equal : -2;
}

/// 8 results for each lane.
TEST_KERNEL(reduces) {
  const int mine = in[threadIdx.x];
  int* const results = out + 8 * threadIdx.x;
  results[0] = __reduce_add_sync(full_mask, mine);
  results[1] = __reduce_min_sync(full_mask, mine);
  results[2] = __reduce_max_sync(full_mask, mine);
  results[3] = int(__reduce_min_sync(full_mask, unsigned(mine)));
  results[4] = int(__reduce_max_sync(full_mask, unsigned(mine)));
  results[5] = int(__reduce_and_sync(full_mask, unsigned(mine)));
  results[6] = int(__reduce_or_sync(full_mask, unsigned(mine)));
  results[7] = int(__reduce_xor_sync(full_mask, unsigned(mine)));
}

/// Even and odd lanes reduce at the same time, each under its own mask.
TEST_KERNEL(two_groups) {
  const unsigned mask = threadIdx.x % 2 ? 0xaaaaaaaau : 0x55555555u;
  out[threadIdx.x] = __reduce_add_sync(mask, int(threadIdx.x));
}

/// Lanes of a half-warp call one after another what the other half never calls.
TEST_KERNEL(half_warp) {
  if (threadIdx.x < 16) {
    int sum = int(threadIdx.x);
    for (int delta = 8; delta; delta /= 2) sum += __shfl_down_sync(0xffffu, sum, unsigned(delta), 16);
    out[threadIdx.x] = sum;
  }
}

/// The upper half has ended: the mask still names it, and only the living count.
TEST_KERNEL(ended_lanes) {
  if (threadIdx.x >= 16) return;
  out[threadIdx.x] = __reduce_add_sync(full_mask, 1);
}
/// The last lane ends while the others already wait for it.
TEST_KERNEL(ends_late) {
  if (threadIdx.x == 31) return;
  out[threadIdx.x] = int(__ballot_sync(full_mask, 1));
}

TEST_KERNEL(next_in_mask) { out[threadIdx.x] = __shfl_sync(2u, 0, 1); }  // lane 0 of a mask of lane 1
TEST_KERNEL(bad_width) { out[threadIdx.x] = __shfl_sync(full_mask, 0, 0, 12); }
TEST_KERNEL(mixed_operations) {
  if (threadIdx.x < 16) out[threadIdx.x] = __shfl_sync(full_mask, 0, 0);  // line of the shuffle
  else out[threadIdx.x] = int(__ballot_sync(full_mask, 1));               // line of the ballot
}
TEST_KERNEL(missing_lane) {
  if (threadIdx.x != 5) out[threadIdx.x] = __any_sync(full_mask, 1);  // waits for thread 5
  __syncthreads();                                                    // where thread 5 is
}
TEST_KERNEL(active_mask_is_usable) {
  const unsigned mask = __activemask();
  out[threadIdx.x] = __reduce_add_sync(mask, 1) == __popc(mask) && (mask >> (threadIdx.x % 32) & 1);
}

TEST_KERNEL(bit_functions) {
  int* next = out;
  for (const unsigned bits : {0u, 1u, 0xf0f00001u}) *next++ = __popc(bits);
  for (const unsigned long long bits : {0ull, 1ull << 40, 0xff00000000000003ull}) *next++ = __popcll(bits);
  for (const int bits : {0, 1, 0b101000, -2147483647 - 1}) *next++ = __ffs(bits);
  for (const long long bits : {0ll, 1ll, 1ll << 40}) *next++ = __ffsll(bits);
  for (const int bits : {0, 1, 1 << 20, -1}) *next++ = __clz(bits);
  for (const long long bits : {0ll, 1ll, 1ll << 40, -1ll}) *next++ = __clzll(bits);
}
TEST_KERNEL(value_functions) {
  out[0] = __ldg(&in[1]);
  out[1] = min(in[0], in[1]);
  out[2] = min(in[1], in[0]);
  out[3] = max(in[0], in[1]);
  out[4] = max(in[1], in[0]);
  out[5] = int(max(unsigned(in[0]), unsigned(in[2])));
  out[6] = int(min(unsigned(in[0]), unsigned(in[2])));
}

}  // namespace
}  // namespace redbench
