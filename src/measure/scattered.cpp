#include "src/measure/scattered.hpp"

#include <omp.h>

#include <atomic>

namespace redbench {
namespace {

void read_scattered(const Scatter& scatter) {
  u32 seen = 0;
#pragma omp parallel for schedule(static) reduction(^ : seen)
  for (Index i = 0; i < scatter.accesses; ++i) seen ^= scatter.memory[scattered_word(i, scatter.words)];
  asm volatile("" ::"r"(seen));  // so that the reads are not optimised away
}

void add_scattered(const Scatter& scatter) {
#pragma omp parallel for schedule(static)
  for (Index i = 0; i < scatter.accesses; ++i)
    std::atomic_ref(scatter.memory[scattered_word(i, scatter.words)]).fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

ScatteredWays host_scattered(const Scatter& scatter) {
  return {[=] { read_scattered(scatter); }, [=] { add_scattered(scatter); }};
}

ScatteredWays scattered(Device& device, const Scatter& scatter) {
  if (device.target() == Target::host) return host_scattered(scatter);
#ifdef REDBENCH_WITH_CUDA
  if (device.target() == Target::cuda) return cuda_scattered(scatter);
#endif
  return {};
}

}  // namespace redbench
