// Launches of a case on a GPU: whether the host's part of them is in its time, and the time of each, as a
// median over a few runs with events between the launches.
#include <algorithm>

#include "src/instruments/instrument.hpp"
#include "src/measure/launch_gap.hpp"

namespace redbench {
namespace {

const FieldRegistration registration("launch_gap",
                                     {{.name = "launch_gap_hidden",
                                       .kind = FieldKind::flag,
                                       .meaning = "whether the host's launches were kept out of the time",
                                       .null_where = "not a GPU",
                                       .of_passed = true}});

class LaunchGapField : public Instrument {
 public:
  using Instrument::Instrument;

  void stop(const SampledCase& sampled, Record& record) override {
    const Device& device = sampling_.meter.device();
    if (device.target() == Target::cuda)
      record["launch_gap_hidden"] = hides_launch_gap(device, sampled.case_);
  }
};

/// Fills `time_ns` of the record's launches. Left null where a library call hides its launches.
class LaunchTimes : public Instrument {
 public:
  using Instrument::Instrument;

  void stop(const SampledCase& sampled, Record& record) override {
    constexpr int runs = 9;
    const Footprint& footprint = sampled.case_.footprint;
    if (!hides_launch_gap(sampling_.meter.device(), sampled.case_) || footprint.library) return;
    std::vector<std::vector<double>> times(footprint.launches.size());
    for (int run = 0; run < runs; ++run) {
      sampled.running();
      const std::vector<double> launches =
          sampling_.meter.stopwatch()->sample_launches(sampling_.mode, sampled.enqueue);
      sampled.idle();
      for (std::size_t i = 0; i < std::min(launches.size(), times.size()); ++i)
        times[i].push_back(launches[i]);
    }
    for (std::size_t i = 0; i < times.size(); ++i)
      if (!times[i].empty()) record["launches"][i]["time_ns"] = median_of(times[i]).value;
  }
};

}  // namespace

std::unique_ptr<Instrument> make_launch_gap(const Sampling& sampling) {
  return std::make_unique<LaunchGapField>(sampling);
}

std::unique_ptr<Instrument> make_launch_times(const Sampling& sampling) {
  if (!sampling.options.per_launch || sampling.mode == Mode::graph) return nullptr;
  return std::make_unique<LaunchTimes>(sampling);
}

}  // namespace redbench
