#include "src/plan/cost.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "src/reference/planted.hpp"

namespace redbench {
namespace {

// Seconds of a core of a Xeon of 2023.
constexpr double per_input_made = 2e-8;  // drawn, and its exact answer found
constexpr double per_result_checked = 2e-8;
constexpr double per_modelled_thread = 3e-7, per_modelled_input = 1e-7;
constexpr double per_host_input = 2e-9;
// Of a GPU of the same year.
constexpr double gpu_sample_s = 1.4e-4;  // caches flushed, launches, the wait for the end
constexpr double gpu_bytes_per_s = 2e12, upload_bytes_per_s = 8e9;
constexpr double energy_batch_s = 0.7;
constexpr double process_s = 1;  // until a worker is ready, and its stopwatch
/// Rounds until all cases of a cell are precise, as a rule: where one has less than 50 us, max_samples.
constexpr int gpu_rounds = 40;
constexpr double long_bytes = 1e8;

/// Samples by which the fastest of so many ways of a move is found, before the cases are sampled: five of
/// each that is left, down to four (src/instruments/ceilings.cpp).
int trials_of(int ways) {
  int samples = 0;
  for (int trial = 0; trial < 5; ++trial) {
    samples += ways;
    ways = std::min(ways, std::max(4, ways / 2));
  }
  return samples;
}

/// Of all moves of a cell: a GPU's take part of the time of a case's sample.
constexpr int gpu_trials = 40;

/// A read in eight ways for each number of cores, a copy and a write in one (src/measure/movers.cpp).
int host_trials(int cores, const Case& one) {
  int counts = 1;
  for (int some = 1; some < cores; some *= 4) ++counts;
  const bool mixed = one.sizes.bytes_written > one.sizes.bytes_read / 100;
  return (mixed ? 2 : 1) * trials_of(8 * counts) + 2 * trials_of(counts);
}

/// Cores that a CPU algorithm takes: those that its parameter `threads` says, 0 for all; one without it.
int cores_of(const Case& one, const CostFacts& facts) {
  for (const auto& [name, value] : one.parameters)
    if (name == "threads") return value > 0 ? int(std::min(value, Index(facts.cores))) : facts.cores;
  return 1;
}

/// What is enqueued and waited for as one sample.
double sample_seconds(const Case& one, Target target, const CostFacts& facts) {
  const double bytes = one.sizes.bytes_read + one.sizes.bytes_written;
  const int modes = int(facts.measure.modes.size());
  const bool cold = facts.measure.modes.front() == Mode::cold || modes > 1;
  if (target == Target::cuda) return gpu_sample_s + bytes / gpu_bytes_per_s;
  return (cold ? facts.flush_s : 0) + per_host_input / cores_of(one, facts) * double(one.input.n);
}

/// How often a case runs on other values than its own before its time is taken (src/cell/judge.cpp).
double runs_on_other_values(const Case& one, const CostFacts& facts) {
  if (!facts.timing || !facts.other_values) return 0;
  if (hides_values(one.input)) return double(most_places_of_a_launch);
  return one.input.op == Operator::sum && one.sizes.rounded_terms > 0 ? 1 : 0;
}

/// Rounds in which all cases are sampled until the last has stopped, and one more.
int rounds_of(const std::vector<const Case*>& cases, Target target, const MeasureOptions& measure) {
  const bool all_long = std::ranges::all_of(
      cases, [](const Case* one) { return one->sizes.bytes_read + one->sizes.bytes_written >= long_bytes; });
  const int rounds = target == Target::cuda && all_long ? gpu_rounds : measure.max_samples;
  return 1 + std::clamp(rounds, measure.min_samples, measure.max_samples);
}

/// A device's cases, checked, sampled in turn until each is precise or has had its time, checked three times
/// more.
double bench_seconds(const std::vector<const Case*>& cases, Target target, const CostFacts& facts) {
  const MeasureOptions& measure = facts.measure;
  const int trials = target == Target::cuda ? gpu_trials : host_trials(facts.cores, *cases[0]);
  const int rounds = rounds_of(cases, target, measure);
  double total = 0, longest = 0;
  for (const Case* one : cases) {
    const double checks = per_result_checked / facts.cores * double(one->sizes.result);
    if (!facts.timing) {
      total += checks + per_host_input * double(one->input.n);
      continue;
    }
    const double sample = sample_seconds(*one, target, facts);
    const double sampling = std::min(rounds * sample, measure.timeout_s + sample);
    longest = std::max(longest, sampling);
    const double others = runs_on_other_values(*one, facts);
    total += (4 + others) * checks + others * sample + (measure.twice ? 2 : 1) * sampling;
    if (measure.energy && target == Target::cuda) total += energy_batch_s;
  }
  if (!facts.timing) return total;
  const double sample = sample_seconds(*cases[0], target, facts);
  // Graphs are for GPUs.
  const auto modes = std::ranges::count_if(
      measure.modes, [&](Mode mode) { return mode != Mode::graph || target == Target::cuda; });
  // The winners among the ways are sampled as long as any case is, and so are scattered accesses.
  const int beside = measure.scattered && cases[0]->input.axes.contains("labels") ? 4 : 2;
  return double(modes) * (total + trials * sample + beside * longest);
}

/// The exact answer for each of the other values, once for all cases.
double other_answers_seconds(const Case& one, const CostFacts& facts) {
  return runs_on_other_values(one, facts) * per_input_made / facts.cores * double(one.input.n);
}

double upload_seconds(const Case& one) {
  return double(one.sizes.values + one.sizes.labels + one.sizes.offsets) / upload_bytes_per_s;
}

double modelled_seconds(const Case& one, const CostFacts& facts) {
  double threads = 0;
  for (const LaunchFacts& launch : one.footprint.launches)
    threads += double(launch.grid.blocks) * launch.grid.threads;
  return (1 + runs_on_other_values(one, facts)) *
         (per_modelled_thread * threads + per_modelled_input * double(one.input.n)) / facts.cores;
}

Target target_of(const Case& one) { return target_of_device(one.device).value_or(Target::host); }

CellCost cost_of(const Cell& cell, const CostFacts& facts) {
  CellCost cost{{{"making", cell.problem->name, 0}}, std::vector<std::size_t>(cell.cases.size(), 0)};
  // First the cases for kernels, then those for the host.
  for (const Target target : {Target::cuda, Target::simt, Target::host}) {
    std::vector<const Case*> cases;
    for (std::size_t i = 0; i < cell.cases.size(); ++i) {
      const Case& one = cell.cases[i];
      if (!one.refusal.empty() || target_of(one) != target) continue;
      if (target == Target::simt)
        cost.parts.push_back({"simt", one.variant->name, modelled_seconds(one, facts)});
      cases.push_back(&one);
      cost.part_of_case[i] = target == Target::simt ? cost.parts.size() - 1 : cost.parts.size();
    }
    if (cases.empty()) continue;
    cost.parts[0].seconds = per_input_made / facts.cores * double(cell.input.n);
    if (target != Target::simt)
      cost.parts.push_back({std::string(target_names[std::size_t(target)]), cell.problem->name,
                            bench_seconds(cases, target, facts) + upload_seconds(*cases[0]) +
                                other_answers_seconds(*cases[0], facts)});
  }
  return cost;
}

/// Overwrites and reads back a buffer as the host's stopwatch does (src/measure/host_stopwatch.cpp): of large
/// caches a part, since a machine that only plans need not wait for it.
double flush_seconds(std::size_t cache_bytes) {
  const std::size_t all = 2 * cache_bytes / sizeof(u64), some = std::min(all, std::size_t(1) << 24);
  std::vector<u64> words(some);
  u64 sum = 0;
  const auto start = std::chrono::steady_clock::now();
#pragma omp parallel for
  for (std::size_t i = 0; i < some; ++i) words[i] = i;
#pragma omp parallel for reduction(+ : sum)
  for (std::size_t i = 0; i < some; ++i) sum += words[i];
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  return sum ? taken.count() * double(all) / double(some) : 0;
}

bool times_host(const Plan& plan) {
  return std::any_of(plan.cells.begin(), plan.cells.end(), [](const Cell& cell) {
    return std::any_of(cell.cases.begin(), cell.cases.end(),
                       [](const Case& one) { return one.refusal.empty() && target_of(one) == Target::host; });
  });
}

}  // namespace

CostFacts cost_facts(const Plan& plan, const MeasureOptions& measure, bool timing, const Devices& devices) {
  CostFacts facts{.cores = omp_get_max_threads(), .measure = measure, .timing = timing};
  if (timing && times_host(plan)) {
    static const double seconds = flush_seconds(devices.host.facts().l2_bytes);  // there is one host
    facts.flush_s = seconds;
  }
  return facts;
}

std::vector<CellCost> costs_of(const Plan& plan, const CostFacts& facts) {
  std::vector<CellCost> costs;
  for (const Cell& cell : plan.cells) costs.push_back(cost_of(cell, facts));
  return costs;
}

double seconds_of(const std::vector<CellCost>& cells) {
  double total = 0;
  for (const CellCost& cell : cells)
    for (const CostPart& part : cell.parts) total += part.seconds;
  return total;
}

double seconds_of(const Plan& plan, const MeasureOptions& measure, const Devices& devices) {
  CostFacts facts = cost_facts(plan, measure, true, devices);
  const double first = seconds_of(costs_of(plan, facts));
  facts.other_values = false;
  const double later = seconds_of(costs_of(plan, facts));
  const std::size_t forks = times_in_forks(plan) ? std::size_t(measure.forks) : 1;
  const bool on_gpu = devices.kernels.target() == Target::cuda;
  return first + double(forks - 1) * later + double(forks) * (on_gpu ? process_s : 0);
}

bool times_in_forks(const Plan& plan) {
  return std::ranges::any_of(plan.cells, [](const Cell& cell) {
    return std::ranges::any_of(
        cell.cases, [](const Case& one) { return one.refusal.empty() && target_of(one) != Target::simt; });
  });
}

std::string rough_duration(double seconds) {
  if (seconds < 1) return "less than a second";
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  if (seconds < 5400) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace redbench
