#include "src/plan/cost.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "src/reference/planted.hpp"

namespace redbench {
namespace {

// Seconds of a core of a Xeon of 2023, by the runs of results/h200.
constexpr double per_input_made = 2e-8;             // drawn, and its exact answer found
constexpr double rounded_answer = 3;                // how much longer where it is summed in twice the digits
constexpr double per_label_made = 2.5e-9;           // each core goes through all labels for its own
constexpr Index labels_of_a_pass = Index(1) << 24;  // src/reference/labelled.cpp
constexpr double per_result_checked = 4e-9;         // the cores wait for the memory
constexpr double per_modelled_thread = 3e-7, per_modelled_input = 1e-7;
constexpr double counting = 4;  // how much longer where accesses are counted
constexpr double per_host_input = 2e-9, per_labelled_host_input = 6e-9, host_bytes_per_s = 1.5e10;
// Of a GPU of the same year.
constexpr double gpu_sample_s = 1.6e-4;  // caches flushed, launches, the wait for the end
constexpr double gpu_launch_s = 3e-6, gpu_bytes_per_s = 2e12, per_gpu_thread = 5e-12;
/// A thread that looks up the set of a label waits for memory; of labels of a byte it takes several at once.
constexpr double per_step_of_labels = 1e-6, bytes_of_a_step = 8, bytes_of_a_step_of_bytes = 32;
constexpr double per_scattered_input = 5e-11;  // of those that wait in the L2, of all threads
constexpr double per_update_of_one = 7e-10;    // atomics on one address, one after the other
constexpr double cell_bytes_per_s = 4e9;       // uploaded, downloaded and compared, restored
constexpr double gpu_cell_s = 0.05;
constexpr double energy_batch_s = 0.7;
constexpr double process_s = 0.8;  // until a worker is ready, and its stopwatch
/// Rounds until all cases of a cell are precise, as a rule: where all are short, max_samples.
constexpr int gpu_rounds = 60;
constexpr double long_sample_s = 5e-4;
/// What is sampled beside the cases as often as they: an empty sample, the winners among the ways of a move.
constexpr int beside_cases = 4, beside_labels = 2;

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

bool has_labels(const Case& one) { return one.input.axes.contains("labels"); }

double results_of(const Case& one) {
  return double(one.sizes.result) / double(one.input.pair->result->bytes);
}

double bytes_of(const Case& one) { return one.sizes.bytes_read + one.sizes.bytes_written; }

/// What labels cost beyond their bytes: as many threads as are resident take them up, and those that update
/// one result by atomics wait for each other.
double gpu_label_seconds(const Case& one, const CostFacts& facts) {
  const double step = one.input.pair->value->bytes == 1 ? bytes_of_a_step_of_bytes : bytes_of_a_step;
  const double inputs = double(one.sizes.values + one.sizes.labels);
  double seconds = per_scattered_input * double(one.input.n);
  for (const LaunchFacts& launch : one.footprint.launches) {
    if (double(launch.grid.bytes_read) < inputs) continue;  // merges sets
    const Index resident = Index(facts.multiprocessors) * std::max(1, launch.resident_blocks);
    const double threads = double(std::min(launch.grid.blocks, resident)) * launch.grid.threads;
    seconds += per_step_of_labels * inputs / step / std::max(1.0, threads);
  }
  const double results =
      one.input.axes["labels"] == "degenerate" ? 1 : double(std::max(Index(1), one.sizes.m));
  return seconds + per_update_of_one * double(one.footprint.chain) / results;
}

/// Of one run of a case's kernels.
double gpu_seconds(const Case& one, const CostFacts& facts) {
  double seconds = bytes_of(one) / gpu_bytes_per_s;
  for (const LaunchFacts& launch : one.footprint.launches)
    seconds += gpu_launch_s + per_gpu_thread * double(launch.grid.blocks) * launch.grid.threads;
  return has_labels(one) ? seconds + gpu_label_seconds(one, facts) : seconds;
}

bool flushes(const CostFacts& facts) {
  return facts.measure.modes.front() == Mode::cold || facts.measure.modes.size() > 1;
}

/// What is enqueued and waited for as one sample.
double sample_seconds(const Case& one, Target target, const CostFacts& facts) {
  if (target == Target::cuda) return gpu_sample_s + gpu_seconds(one, facts);
  const double per_input = has_labels(one) ? per_labelled_host_input : per_host_input;
  return (flushes(facts) ? facts.flush_s : 0) + per_input / cores_of(one, facts) * double(one.input.n);
}

/// The same of a mover of the case's bytes, which the ceilings are made of.
double mover_seconds(const Case& one, Target target, const CostFacts& facts) {
  if (target == Target::cuda) return gpu_sample_s + bytes_of(one) / gpu_bytes_per_s;
  return (flushes(facts) ? facts.flush_s : 0) + bytes_of(one) / host_bytes_per_s;
}

/// How often a case runs on other values than its own before its time is taken (src/cell/judge.cpp).
double runs_on_other_values(const Case& one, const CostFacts& facts) {
  if (!facts.timing || !facts.other_values) return 0;
  if (hides_values(one.input)) return double(most_places_of_a_launch);
  return traits_of(one.input.op).arithmetic == Arithmetic::addition && one.sizes.rounded_terms > 0 ? 1 : 0;
}

/// Rounds in which all cases are sampled until the last has stopped, and one more.
int rounds_of(const std::vector<const Case*>& cases, Target target, const CostFacts& facts) {
  const MeasureOptions& measure = facts.measure;
  const bool is_long = std::ranges::any_of(
      cases, [&](const Case* one) { return sample_seconds(*one, target, facts) >= long_sample_s; });
  const int rounds = target == Target::cuda && is_long ? gpu_rounds : measure.max_samples;
  return 1 + std::clamp(rounds, measure.min_samples, measure.max_samples);
}

/// A device's cases, checked, sampled in turn until each is precise or has had its time, checked three times
/// more.
double bench_seconds(const std::vector<const Case*>& cases, Target target, const CostFacts& facts) {
  const MeasureOptions& measure = facts.measure;
  const int trials = target == Target::cuda ? gpu_trials : host_trials(facts.cores, *cases[0]);
  const int rounds = rounds_of(cases, target, facts);
  double total = 0;
  for (const Case* one : cases) {
    const double checks = per_result_checked * results_of(*one);
    if (!facts.timing) {
      total += checks + per_host_input * double(one->input.n);
      continue;
    }
    const double sample = sample_seconds(*one, target, facts);
    const double sampling = std::min(rounds * sample, measure.timeout_s + sample);
    const double others = runs_on_other_values(*one, facts);
    total += (4 + others) * checks + others * sample + (measure.twice ? 2 : 1) * sampling;
    if (measure.energy && target == Target::cuda) total += energy_batch_s;
  }
  if (!facts.timing) return total;
  const double mover = mover_seconds(*cases[0], target, facts);
  // Graphs are for GPUs.
  const auto modes = std::ranges::count_if(
      measure.modes, [&](Mode mode) { return mode != Mode::graph || target == Target::cuda; });
  const int beside = beside_cases + (measure.scattered && has_labels(*cases[0]) ? beside_labels : 0);
  const double of_movers = std::min(rounds * mover, measure.timeout_s + mover);
  return double(modes) * (total + trials * mover + beside * of_movers);
}

/// Values and labels drawn, and their exact answer.
double making_seconds(const Case& one, const CostFacts& facts) {
  const double n = double(one.input.n);
  const double made = (one.sizes.rounded_terms > 0 ? rounded_answer : 1) * per_input_made / facts.cores * n;
  if (!has_labels(one)) return made;
  return made + per_label_made * n * std::ceil(results_of(one) / double(labels_of_a_pass));
}

/// The exact answer for each of the other values, once for all cases.
double other_answers_seconds(const Case& one, const CostFacts& facts) {
  return runs_on_other_values(one, facts) * making_seconds(one, facts);
}

double upload_seconds(const Case& one) {
  return gpu_cell_s + double(one.sizes.values + one.sizes.labels + one.sizes.offsets) / cell_bytes_per_s;
}

double modelled_seconds(const Case& one, const CostFacts& facts) {
  double threads = 0;
  for (const LaunchFacts& launch : one.footprint.launches)
    threads += double(launch.grid.blocks) * launch.grid.threads;
  return (1 + runs_on_other_values(one, facts)) * (facts.measure.counters ? counting : 1) *
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
    cost.parts[0].seconds = making_seconds(*cases[0], facts);
    if (target == Target::simt) continue;
    const double uploads = target == Target::cuda ? upload_seconds(*cases[0]) : 0;
    cost.parts.push_back(
        {std::string(target_names[std::size_t(target)]), cell.problem->name,
         bench_seconds(cases, target, facts) + uploads + other_answers_seconds(*cases[0], facts)});
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
  CostFacts facts{.cores = omp_get_max_threads(),
                  .multiprocessors = devices.kernels.facts().multiprocessors,
                  .measure = measure,
                  .timing = timing};
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

double seconds_of(const Plan& plan, const MeasureOptions& measure, const Devices& devices, bool timing) {
  CostFacts facts = cost_facts(plan, measure, timing, devices);
  const double first = seconds_of(costs_of(plan, facts));
  facts.other_values = false;
  const double later = seconds_of(costs_of(plan, facts));
  const std::size_t forks = timing && times_in_forks(plan) ? std::size_t(measure.forks) : 1;
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
