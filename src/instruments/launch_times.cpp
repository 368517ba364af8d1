// The time of each launch of a case: medians over a few runs with events between the launches.
#include <algorithm>

#include "src/instruments/instrument.hpp"
#include "src/measure/launch_gap.hpp"

namespace redbench {
namespace {

/// Fills `time_ns` of the record's launches. Left null where a library call hides its launches.
class LaunchTimes : public Instrument {
 public:
  explicit LaunchTimes(const Session& session) : session_(session) {}

  void stop(const Sampled& sampled, Record& record) override {
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

std::unique_ptr<Instrument> make_launch_times(const Session& session) {
  if (!session.options.per_launch || session.mode == Mode::graph) return nullptr;
  return std::make_unique<LaunchTimes>(session);
}

}  // namespace redbench
