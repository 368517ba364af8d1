// Rates of reads and atomics at random places, as many as the cell has labels: bytes say little about a
// problem whose updates go wherever its labels say.
#include "src/measure/scattered.hpp"

#include <fmt/format.h>

#include "src/instruments/instrument.hpp"

namespace redbench {
namespace {

constexpr const char* no_rate =
    "`measure.scattered` is off, mode graph, inputs without labels, or no room for m words more";

const FieldRegistration registration(
    "scattered",
    {{.name = "percent_of_scattered",
      .meaning =
          "100 × n / `time_ns` / `scattered_atomics_per_ns`: against one random atomic for each input; above "
          "100 where updates are combined or never leave the chip",
      .null_where = no_rate,
      .of_passed = true,
      .over_forks = OverForks::median,
      .label = "against an atomic per input",
      .unit = "%",
      .digits = Digits::by_interval},
     {.name = "scattered_reads_per_ns",
      .meaning = "n reads of 4 bytes at random places among m words, in 10^9 per second, in the same rounds",
      .null_where = no_rate,
      .of_passed = true,
      .over_forks = OverForks::median},
     {.name = "scattered_atomics_per_ns",
      .meaning = "the same for atomic additions to them",
      .null_where = no_rate,
      .of_passed = true,
      .over_forks = OverForks::median}});

class Scattered : public Instrument {
 public:
  explicit Scattered(const Sampling& sampling) : Instrument(sampling), words_(sampling.meter.device()) {}

  void start(std::vector<Series>& series) override {
    series_ = &series;
    if (!words_.allocate(std::size_t(sampling_.label_count) * sizeof(u32))) return;
    scatter_ = {static_cast<u32*>(words_.start()), sampling_.label_count, sampling_.labelled_inputs};
    const ScatteredAccesses accesses = sampling_.meter.scattered(scatter_);
    first_ = series.size();
    for (const auto& [name, enqueue] :
         {std::pair("reads", accesses.read), std::pair("atomics", accesses.add)}) {
      enqueue();  // loads the kernel
      series.push_back({.sample = [this, enqueue = enqueue] { return sampling_.sample(enqueue); },
                        .name = fmt::format("scattered {}", name),
                        .asks_for_rounds = false});
    }
  }

  void stop(const SampledCase&, Record& record) override {
    if (!scatter_.memory) return;
    const double reads = per_ns(first_), atomics = per_ns(first_ + 1);
    if (reads > 0) record["scattered_reads_per_ns"] = reads;
    if (atomics == 0) return;
    record["scattered_atomics_per_ns"] = atomics;
    record["percent_of_scattered"] =
        100 * double(scatter_.accesses) / record["time_ns"].get<double>() / atomics;
  }

 private:
  /// From the samples so far; 0: there are none.
  double per_ns(std::size_t place) const {
    const std::vector<double>& samples = (*series_)[place].samples;
    return samples.empty() ? 0 : double(scatter_.accesses) / median_of(samples).value;
  }

  const std::vector<Series>* series_ = nullptr;
  std::size_t first_ = 0;  // of its series
  SpareMemory words_;      // one for each label
  Scatter scatter_;
};

}  // namespace

std::unique_ptr<Instrument> make_scattered(const Sampling& sampling) {
  if (!sampling.options.scattered || sampling.labelled_inputs == 0 || !sampling.meter.stopwatch())
    return nullptr;
  return std::make_unique<Scattered>(sampling);
}

}  // namespace redbench
