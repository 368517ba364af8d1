// The functions of CUDA that a kernel computes with.
#include "tests/simt/kernels.hpp"

namespace redbench {
namespace {

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
