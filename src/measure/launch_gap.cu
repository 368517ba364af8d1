#include "src/device/cuda_check.hpp"
#include "src/measure/launch_gap.hpp"

namespace redbench {
namespace {

constexpr unsigned long long longest_ns = 2'000'000'000;
// GPUs' timers move in steps of 32 ns to 1 us: between two steps so far apart the clock is known to 1 %.
constexpr unsigned long long shortest_ns = 10'000;

__device__ unsigned long long global_timer() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}

/// The time as the timer has just moved.
__device__ unsigned long long next_step() {
  const unsigned long long before = global_timer();
  unsigned long long ns;
  do ns = global_timer();
  while (ns == before);
  return ns;
}

__global__ void wait_for_host(volatile int* released, volatile int* gave_up,
                              volatile unsigned long long* cycles, volatile unsigned long long* ns) {
  const unsigned long long start = next_step();
  const long long first_cycle = clock64();
  while (!*released) {
    if (global_timer() - start < longest_ns) continue;
    *gave_up = 1;
    __threadfence_system();
    return;
  }
  unsigned long long end;
  do end = next_step();
  while (end - start < shortest_ns);
  *cycles = static_cast<unsigned long long>(clock64() - first_cycle);
  *ns = end - start;
  __threadfence_system();
}

}  // namespace

LaunchGap::LaunchGap() {
  void* memory = nullptr;
  check(cudaHostAlloc(&memory, sizeof(Flags), cudaHostAllocMapped),
        "allocating the flag that the device waits for");
  flags_ = static_cast<volatile Flags*>(memory);
  flags_->ns = 0;
}

LaunchGap::~LaunchGap() { cudaFreeHost(const_cast<Flags*>(flags_)); }

void LaunchGap::hold() {
  flags_->released = 0;
  flags_->gave_up = 0;
  flags_->ns = 0;
  wait_for_host<<<1, 1>>>(&flags_->released, &flags_->gave_up, &flags_->cycles, &flags_->ns);
  check(cudaGetLastError(), "launching the kernel that waits for the host");
}

void LaunchGap::release() { flags_->released = 1; }

bool LaunchGap::gave_up() const { return flags_->gave_up != 0; }

std::optional<double> LaunchGap::clock_mhz() const {
  const unsigned long long ns = flags_->ns;
  if (ns == 0) return std::nullopt;
  return double(flags_->cycles) * 1e3 / double(ns);
}

}  // namespace redbench
