#include "src/instruments/energy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "src/instruments/instrument.hpp"

namespace redbench {
namespace {

// On an H200 the counter moves every 0.1 s, and 50 readings take up to 0.5 s.
constexpr double least_s = 0.1, most_s = 2;
constexpr int least_readings = 50;
constexpr double least_part_s = 1e-3;  // between two readings
constexpr Index most_runs_of_part = 1 << 16;

constexpr const char* no_energy = "`measure.energy` is off, or `energy_missing` says why";

const FieldRegistration registration(
    "energy",
    {{.name = "energy_nj_per_input",
      .meaning =
          "`energy_mj` / (`energy_runs` × n): what the whole board uses while the case runs back to back, "
          "idle power included",
      .null_where = no_energy,
      .of_passed = true,
      .label = "energy per input",
      .unit = "nJ"},
     {.name = "energy_mj",
      .meaning = "by NVML's counter, over a batch of runs",
      .null_where = no_energy,
      .of_passed = true},
     {.name = "energy_runs",
      .kind = FieldKind::whole,
      .meaning = "the runs of that batch",
      .null_where = no_energy,
      .of_passed = true},
     {.name = "energy_missing",
      .kind = FieldKind::text,
      .meaning = "why there is no energy though `measure.energy` asks for it",
      .null_where = "there is, or it is not asked for",
      .of_passed = true}});

class Energy : public Instrument {
 public:
  using Instrument::Instrument;

  void stop(const SampledCase& sampled, Record& record) override {
    const BatchEnergy energy = batch(sampled, record["time_ns"].get<double>() * 1e-9);
    if (!energy.missing.empty()) {
      record["energy_missing"] = energy.missing;
      return;
    }
    record["energy_mj"] = energy.mj;
    record["energy_runs"] = energy.runs;
    if (sampled.case_.input.n > 0)
      record["energy_nj_per_input"] = energy.mj * 1e6 / (double(energy.runs) * double(sampled.case_.input.n));
  }

  /// Up to two seconds of full load heat the chip.
  bool disturbs() const override { return true; }

 private:
  BatchEnergy batch(const SampledCase& sampled, double time_s) {
    if (const std::string missing = sampling_.meter.nvml().missing(); !missing.empty())
      return {0, 0, missing};
    if (sampled.case_.variant->card.synchronizes)
      return {0, 0, "it waits for the device inside `run`: its runs are not back to back"};
    // A run at least between two readings, and as many again until the counter first moves.
    constexpr int least_runs = 2 * least_readings;
    if (time_s * least_runs > most_s)
      return {0, 0,
              fmt::format("a run takes {:.3g} ms: fewer than {} of them in {} s", time_s * 1e3, least_runs,
                          most_s)};
    sampled.running();
    const BatchEnergy energy = measure_batch(
        {[&](Index runs) {
           for (Index run = 0; run < runs; ++run) sampled.enqueue();
         },
         [&] { sampling_.meter.device().finish(); }, [&] { return sampling_.meter.nvml().energy_mj(); },
         [] {
           return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
         }});
    sampled.idle();
    return energy;
  }
};

/// A move of the counter.
struct CounterMove {
  double at_s;
  std::uint64_t mj;
  Index runs, readings;  // before it
};

double seconds_of(const BatchSource& source, const std::function<void()>& work) {
  const double start = source.now_s();
  work();
  return source.now_s() - start;
}

/// How many runs keep the device busy while the counter is read.
Index runs_of_part(const BatchSource& source) {
  const double least = std::max(least_part_s, 2 * seconds_of(source, [&] { source.energy_mj(); }));
  Index runs = 1;
  const auto part = [&] {
    source.enqueue(runs);
    source.finish();
  };
  while (seconds_of(source, part) < least && runs < most_runs_of_part) runs *= 2;
  return runs;
}

}  // namespace

BatchEnergy measure_batch(const BatchSource& source) {
  const double start = source.now_s();
  if (!source.energy_mj()) return {0, 0, "NVML has no energy counter for this GPU"};
  const Index part = runs_of_part(source);
  std::optional<std::uint64_t> seen;
  std::optional<CounterMove> first;
  int moves = 0;
  Index readings = 0;
  for (Index runs = 0; source.now_s() - start < most_s; runs += part, ++readings) {
    source.enqueue(part);
    const std::optional<std::uint64_t> mj = source.energy_mj();
    const CounterMove move{source.now_s(), mj.value_or(0), runs, readings};
    source.finish();
    const bool moved = seen && mj != seen;
    seen = mj;
    if (!moved) continue;
    ++moves;
    if (!first) first = move;
    if (move.at_s - first->at_s >= least_s && move.readings - first->readings >= least_readings)
      return {double(move.mj - first->mj), move.runs - first->runs, {}};
  }
  return {
      0, 0,
      fmt::format("in {} s NVML's energy counter moved {} times at {} readings; two moves that are {} s and "
                  "{} readings apart are needed",
                  most_s, moves, readings, least_s, least_readings)};
}

std::unique_ptr<Instrument> make_energy(const Sampling& sampling) {
  if (!sampling.options.energy) return nullptr;
  return std::make_unique<Energy>(sampling);
}

}  // namespace redbench
