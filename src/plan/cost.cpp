#include "src/plan/cost.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>

namespace redbench {
namespace {

// Rates of one core of a Xeon of 2023 and of a GPU of the same year. tests/plan/test_cost.cpp compares the
// estimates with the runs of results/h200.
constexpr double made_per_s = 2e7;           // inputs that a core draws and reduces exactly
constexpr double host_per_s = 2e9;           // bytes that a core reduces
constexpr double flushed_per_s = 1e10;       // bytes of the host's caches
constexpr double gpu_per_s = 2e12;           // bytes
constexpr double labelled_gpu_per_s = 1e11;  // the same where labels scatter the accesses
constexpr double gpu_sample_s = 1.6e-4;      // caches flushed, launch, the wait for the end
constexpr double gpu_launch_s = 3e-6;
constexpr double gpu_checked_s = 0.03;  // a case is run and compared before its samples and after
constexpr double energy_batch_s = 0.7;
constexpr double modelled_per_s = 2e7;  // bytes that a core of the modelled device's host goes through
constexpr double modelled_thread_s = 3e-7;
constexpr int ceilings = 4;  // movers that are sampled as often as the cases

/// What of a machine decides an estimate.
struct Machine {
  double cache_bytes, threads;
  bool is_any;  // one for all: then nothing that it has free or knows of a GPU counts
};
constexpr Machine any_machine{1 << 25, 16, true};

Machine machine_of(const Device& host) {
  return {double(host.facts().l2_bytes), double(omp_get_max_threads()), false};
}

Target target_of(const Case& case_) { return target_of_device(case_.device).value_or(Target::host); }

/// Whether some machine with this program could run it: one with too little memory could not.
bool is_built(const Case& case_) {
  const InputSpec& input = case_.input;
  const Instance* const instance =
      input.pair ? case_.variant->instance(target_of(case_), input.type, input.op) : nullptr;
  const Card& card = case_.variant->card;
  return instance && instance->run && (card.maximum_n == 0 || input.n <= card.maximum_n) &&
         (card.maximum_m == 0 || case_.sizes.m <= card.maximum_m);
}

double sample_seconds(const Case& case_, const Machine& machine) {
  const double bytes = case_.sizes.bytes_read + case_.sizes.bytes_written;
  if (target_of(case_) == Target::host) return 2 * machine.cache_bytes / flushed_per_s + bytes / host_per_s;
  const std::vector<LaunchFacts>& launches = case_.footprint.launches;
  if (target_of(case_) == Target::cuda)
    return gpu_sample_s + gpu_launch_s * (machine.is_any ? 1 : double(launches.size())) +
           bytes / gpus_of(case_.input) /
               (case_.input.axes.contains("labels") ? labelled_gpu_per_s : gpu_per_s);
  double threads = 0;
  for (const LaunchFacts& launch : launches) threads += double(launch.grid.blocks) * launch.grid.threads;
  return (modelled_thread_s * threads + bytes / modelled_per_s) / machine.threads;
}

double cell_seconds(const Cell& cell, const MeasureOptions& measure, const Machine& machine, bool timing) {
  double seconds = 0, longest = 0;
  for (const Case& case_ : cell.cases) {
    if (machine.is_any ? !is_built(case_) : !case_.refusal.empty()) continue;
    const Target target = target_of(case_);
    const double sample = sample_seconds(case_, machine);
    if (!timing || target == Target::simt) {
      seconds += sample;
      continue;
    }
    const double series = std::min(measure.max_samples * sample, measure.timeout_s + sample);
    const double own = double(measure.modes.size()) * (measure.twice ? 2 : 1) * series;
    seconds += own + (measure.energy && target == Target::cuda ? energy_batch_s : 0);
    longest = std::max(longest, own);
    if (target == Target::cuda) seconds += gpu_checked_s;
  }
  if (seconds == 0) return 0;
  return seconds + ceilings * longest + double(cell.input.n) / made_per_s / machine.threads;
}

}  // namespace

std::vector<double> cell_seconds(const Plan& plan, const MeasureOptions& measure, const Devices& devices,
                                 bool timing) {
  std::vector<double> seconds;
  for (const Cell& cell : plan.cells)
    seconds.push_back(cell_seconds(cell, measure, machine_of(devices.host), timing));
  return seconds;
}

std::vector<std::uint64_t> cell_weights(const Plan& plan, const MeasureOptions& measure, bool timing) {
  std::vector<std::uint64_t> weights;
  for (const Cell& cell : plan.cells)
    weights.push_back(1 +
                      std::uint64_t(std::llround(1e6 * cell_seconds(cell, measure, any_machine, timing))));
  return weights;
}

std::size_t forks_of(const Plan& plan, const MeasureOptions& measure) {
  for (const Cell& cell : plan.cells)
    for (const Case& case_ : cell.cases)
      if (case_.refusal.empty() && target_of(case_) != Target::simt) return std::size_t(measure.forks);
  return 1;
}

double seconds_of(const Plan& plan, const MeasureOptions& measure, const Devices& devices, bool timing) {
  double seconds = 0;
  for (const double cell : cell_seconds(plan, measure, devices, timing)) seconds += cell;
  return double(timing ? forks_of(plan, measure) : 1) * seconds;
}

std::string rough_duration(double seconds) {
  if (seconds < 1) return "less than a second";
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace redbench
