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

const FieldRegistration library_registration(
    "launch_times", {{.name = "library_ns",
                      .kind = FieldKind::list,
                      .meaning = "times of the calls of a library, as those of launches",
                      .null_where = "no call of a library, or `measure.per_launch` is off",
                      .of_passed = true}});

/// Fills `time_ns` of the record's launches, and `library_ns`.
class LaunchTimes : public Instrument {
 public:
  using Instrument::Instrument;

  void stop(const SampledCase& sampled, Record& record) override {
    constexpr int runs = 9;
    const Footprint& footprint = sampled.case_.footprint;
    if (!hides_launch_gap(sampling_.meter.device(), sampled.case_)) return;
    // Launches and calls of a library, as they are enqueued.
    std::vector<std::vector<double>> times(footprint.launches.size() + footprint.library_calls.size());
    for (int run = 0; run < runs; ++run) {
      sampled.running();
      const std::vector<double> launches =
          sampling_.meter.stopwatch()->sample_launches(sampling_.mode, sampled.enqueue);
      sampled.idle();
      for (std::size_t i = 0; i < std::min(launches.size(), times.size()); ++i)
        times[i].push_back(launches[i]);
    }
    std::size_t calls = 0;
    for (std::size_t i = 0; i < times.size() && !times[i].empty(); ++i) {
      const bool is_call =
          calls < footprint.library_calls.size() && footprint.library_calls[calls] + calls == i;
      Json& time = is_call ? record["library_ns"][calls] : record["launches"][i - calls]["time_ns"];
      time = median_of(times[i]).value;
      calls += is_call;
    }
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
