// Launches of a case on a GPU: whether the host's part of them is in its time, and the time of each, as a median over
// a few runs with events between the launches.
#include <algorithm>

#include "src/instruments/instrument.hpp"
#include "src/measure/launch_gap.hpp"
#include "src/records/field.hpp"

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
  explicit LaunchGapField(const Session& session) : device_(session.meter.device()) {}

  void stop(const SampledCase& sampled, Record& record) override {
    if (device_.target() == Target::cuda)
      record["launch_gap_hidden"] = hides_launch_gap(device_, sampled.case_);
  }

 private:
  const Device& device_;
};

/// Fills `time_ns` of the record's launches. Left null where a library call hides its launches.
class LaunchTimes : public Instrument {
 public:
  explicit LaunchTimes(const Session& session) : session_(session) {}

  void stop(const SampledCase& sampled, Record& record) override {
    constexpr int runs = 9;
    const Footprint& footprint = sampled.case_.footprint;
    if (!hides_launch_gap(session_.meter.device(), sampled.case_) || footprint.library) return;
    std::vector<std::vector<double>> times(footprint.launches.size());
    for (int run = 0; run < runs; ++run) {
      sampled.running();
      const std::vector<double> launches =
          session_.meter.stopwatch()->sample_launches(session_.mode, sampled.enqueue);
      sampled.idle();
      for (std::size_t i = 0; i < std::min(launches.size(), times.size()); ++i)
        times[i].push_back(launches[i]);
    }
    for (std::size_t i = 0; i < times.size(); ++i)
      if (!times[i].empty()) record["launches"][i]["time_ns"] = median_of(times[i]).value;
  }

 private:
  const Session& session_;
};

}  // namespace

std::unique_ptr<Instrument> make_launch_gap(const Session& session) {
  return std::make_unique<LaunchGapField>(session);
}

std::unique_ptr<Instrument> make_launch_times(const Session& session) {
  if (!session.options.per_launch || session.mode == Mode::graph) return nullptr;
  return std::make_unique<LaunchTimes>(session);
}

}  // namespace redbench
