#include "tests/simt/kernels.hpp"

namespace redbench {
namespace {

TEST_KERNEL(indices) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = int(blockIdx.x * 10000 + threadIdx.x * 10 + gridDim.x);
}
/// All threads on one address, one result for each operation.
TEST_KERNEL(atomics) {
  const int mine = in[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(&out[0], mine);
  atomicSub(&out[1], mine);
  atomicMin(&out[2], mine);
  atomicMax(&out[3], mine);
  atomicAnd(&out[4], mine);
  atomicOr(&out[5], mine);
  atomicXor(&out[6], mine);
  atomicInc(reinterpret_cast<unsigned*>(&out[7]), 9u);
  for (int expected = out[8], seen; (seen = atomicCAS(&out[8], expected, expected + 1)) != expected;
       expected = seen) {
  }
}
TEST_KERNEL(unwritten_static) {
  __shared__ int s[64];
  if (n < 0) s[threadIdx.x] = 0;
  out[threadIdx.x] = s[threadIdx.x];
}
TEST_KERNEL(unwritten_dynamic) { out[threadIdx.x] = dynamic_shared<int>()[threadIdx.x]; }
template <class T>
__device__ __attribute__((noinline)) T through_function(T value) {
  __shared__ T box[2];
  if (threadIdx.x == 0) box[1] = value;
  __syncthreads();
  return box[1];
}
TEST_KERNEL(shared_in_function) {
  __shared__ char small[10];
  small[threadIdx.x % 10] = 1;
  __syncthreads();
  out[threadIdx.x] = through_function(5) + small[0];
}
__device__ __attribute__((noinline)) int deepest(int value) {
  __shared__ int kept[3];
  if (threadIdx.x == 0) kept[value % 3] = value;
  __syncthreads();
  return kept[value % 3];
}
/// As many steps, one behind the other: more than g++ inlines by itself.
template <int steps>
__device__ __attribute__((always_inline)) inline int mixed(const int* in, int value) {
  if constexpr (steps == 0) return value;
  else return mixed<steps - 1>(in, value * 3 + in[(value ^ steps) & 31]);
}
__device__ void calls_deepest(const int* in, int* out) {
  out[threadIdx.x] = deepest(in[0]) + mixed<40>(in, 0);
}
/// A kernel takes in what it calls, this function does not: calls_deepest is inlined there and called here.
__device__ __attribute__((noinline)) void calls_what_calls_deepest(const int* in, int* out) {
  calls_deepest(in, out);
  __syncthreads();
  calls_deepest(in, out);
}
TEST_KERNEL(shared_behind_a_call) { calls_deepest(in, out); }
TEST_KERNEL(shared_behind_two_calls) { calls_what_calls_deepest(in, out); }

struct ThreeWords {
  int of[3];
};
TEST_KERNEL(copies_three_words) {
  reinterpret_cast<ThreeWords*>(out)[threadIdx.x] = reinterpret_cast<const ThreeWords*>(in)[threadIdx.x];
}

TEST_KERNEL(past_global) { out[in[0]] = 1; }
TEST_KERNEL(past_dynamic) { dynamic_shared<int>()[in[0]] = 1; }
TEST_KERNEL(null_address) {
  if (threadIdx.x == 3) *reinterpret_cast<volatile int*>(std::size_t(in[0])) = 1;
}
TEST_KERNEL(null_atomic) {
  if (threadIdx.x == 3) atomicAdd(reinterpret_cast<int*>(std::size_t(in[0])), 1);  // adds to no memory
}
/// Threads 0 to 39 wait for those after thread 40.
TEST_KERNEL(fault_while_others_wait) {
  if (threadIdx.x == 40) *reinterpret_cast<volatile int*>(std::size_t(in[0])) = 1;
  __syncthreads();
  out[threadIdx.x] = 1;
}
/// The compiler decides at which of its lines the frame leaves the stack.
TEST_KERNEL(large_array) {                   // a frame larger than the stack
  volatile int local[32 * 1024];             // a frame larger than the stack
  for (int i = 0; i < n; ++i) local[i] = i;  // a frame larger than the stack
  out[0] = local[n - 1];
}
/// A fault of an instruction of one byte between two others of one byte.
TEST_KERNEL(halts) {
#if defined(__x86_64__)
  asm volatile("nop");  // before the fault
  asm volatile("hlt");  // which only the system may
  asm volatile("nop");  // behind the fault
#endif
}
TEST_KERNEL(divides_by_zero) { out[threadIdx.x] = 7 / in[threadIdx.x]; }

/// The order in which threads come, by a counter.
TEST_KERNEL(order) { out[atomicAdd(&out[n], 1) + 1] = int(threadIdx.x); }

}  // namespace
}  // namespace redbench
