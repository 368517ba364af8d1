#include "src/device/cuda_check.hpp"
#include "src/measure/launch_gap.hpp"

namespace redbench {
namespace {

constexpr unsigned long long longest_ns = 2'000'000'000;

__device__ unsigned long long global_timer() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}

__global__ void wait_for_host(volatile int* released, volatile int* gave_up) {
  const unsigned long long start = global_timer();
  while (!*released) {
    if (global_timer() - start < longest_ns) continue;
    *gave_up = 1;
    __threadfence_system();
    return;
  }
}

}  // namespace

LaunchGap::LaunchGap() {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, sizeof(Flags), cudaHostAllocMapped),
        "allocating the flag that the device waits for");
  flags_ = static_cast<volatile Flags*>(memory);
}

LaunchGap::~LaunchGap() { cudaFreeHost(const_cast<Flags*>(flags_)); }

void LaunchGap::hold() {
  flags_->released = 0;
  flags_->gave_up = 0;
  wait_for_host<<<1, 1>>>(&flags_->released, &flags_->gave_up);
  check(cudaGetLastError(), "launching the kernel that waits for the host");
}

void LaunchGap::release() { flags_->released = 1; }

bool LaunchGap::gave_up() const { return flags_->gave_up != 0; }

}  // namespace redbench
