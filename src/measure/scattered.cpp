#include "src/measure/scattered.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>

#include "src/device/host.hpp"

namespace redbench {
namespace {

void read_scattered(const Scatter& scatter, int cores) {
  u32 seen = 0;
#pragma omp parallel for schedule(static) reduction(^ : seen) num_threads(cores)
  for (Index i = 0; i < scatter.accesses; ++i) seen ^= scatter.memory[scattered_word(i, scatter.words)];
  asm volatile("" ::"r"(seen));  // so that the reads are not optimised away
}

void add_scattered(const Scatter& scatter, int cores) {
#pragma omp parallel for schedule(static) num_threads(cores)
  for (Index i = 0; i < scatter.accesses; ++i)
    std::atomic_ref(scatter.memory[scattered_word(i, scatter.words)]).fetch_add(1, std::memory_order_relaxed);
}

/// Uses the number of cores that is fastest in a trial: where words are few, cores wait for each other's
/// cache lines.
std::function<void()> fastest(const Scatter& scatter, void (*access)(const Scatter&, int cores)) {
  Scatter trial = scatter;
  trial.accesses = std::min(scatter.accesses, Index(1) << 20);
  int best = 1;
  double best_s = std::numeric_limits<double>::infinity();
  for (const int cores : core_counts())
    for (int i = 0; i < 3; ++i) {
      const auto start = std::chrono::steady_clock::now();
      access(trial, cores);
      const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
      if (taken.count() < best_s) {
        best = cores;
        best_s = taken.count();
      }
    }
  return [=] { access(scatter, best); };
}

}  // namespace

ScatteredAccesses host_scattered(const Scatter& scatter) {
  return {fastest(scatter, read_scattered), fastest(scatter, add_scattered)};
}

ScatteredAccesses scattered(Device& device, const Scatter& scatter) {
  if (device.target() == Target::host) return host_scattered(scatter);
#ifdef REDBENCH_WITH_CUDA
  if (device.target() == Target::cuda) return cuda_scattered(scatter);
#endif
  return {};
}

}  // namespace redbench
