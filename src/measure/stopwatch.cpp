#include "src/measure/stopwatch.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>

#include "src/error.hpp"
#include "src/measure/team_stopwatch.hpp"

namespace redbench {
namespace {

volatile std::sig_atomic_t continued = 0;  // how often this process went on after it had been stopped

void count_stops() {
  struct sigaction action {};
  action.sa_handler = [](int) { continued = continued + 1; };
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGCONT, &action, nullptr);
}

/// Takes a sample again during which the process was stopped: host time is in it, and the kernel that
/// occupies a GPU has given up waiting. `any`: whether this process was, or another that takes the sample with it.
template <class Take>
std::invoke_result_t<Take> unstopped(const Take& take, const std::function<bool(bool)>& any = {}) {
  for (;;) {
    const std::sig_atomic_t before = continued;
    const auto was_stopped = [&] { return any ? any(continued != before) : continued != before; };
    try {
      auto taken = take();
      if (!was_stopped()) return taken;
    } catch (const DeviceError&) {
      if (!was_stopped()) throw;
    }
  }
}

class UnstoppedStopwatch : public Stopwatch {
 public:
  explicit UnstoppedStopwatch(std::unique_ptr<Stopwatch> taken) : taken_(std::move(taken)) { count_stops(); }

  double sample(Mode mode, bool synchronizes, const std::function<void()>& work) override {
    return unstopped([&] { return taken_->sample(mode, synchronizes, work); });
  }
  std::vector<double> sample_launches(Mode mode, const std::function<void()>& work) override {
    return unstopped([&] { return taken_->sample_launches(mode, work); });
  }
  std::optional<double> clock_mhz() const override { return taken_->clock_mhz(); }
  std::optional<double> tick_ns() const override { return taken_->tick_ns(); }
  std::optional<double> queue_slot_ns() const override { return taken_->queue_slot_ns(); }

 private:
  std::unique_ptr<Stopwatch> taken_;
};

class UnstoppedTeamStopwatch : public TeamStopwatch {
 public:
  UnstoppedTeamStopwatch(std::unique_ptr<TeamStopwatch> taken, const Team& team)
      : taken_(std::move(taken)), team_(team) {
    count_stops();
  }
  Sample sample(bool synchronizes, const std::function<void(int rank)>& work) override {
    return unstopped([&] { return taken_->sample(synchronizes, work); },
                     [this](bool here) { return team_.largest(here) > 0; });
  }

 private:
  std::unique_ptr<TeamStopwatch> taken_;
  const Team& team_;
};

class NetStopwatch : public Stopwatch {
 public:
  explicit NetStopwatch(std::unique_ptr<Stopwatch> raw) : raw_(std::move(raw)) {}

  double sample(Mode mode, bool synchronizes, const std::function<void()>& work) override {
    const double ns = raw_->sample(mode, synchronizes, work);
    return synchronizes ? ns : net(ns);
  }
  std::vector<double> sample_launches(Mode mode, const std::function<void()>& work) override {
    std::vector<double> times = raw_->sample_launches(mode, work);
    for (double& ns : times) ns = net(ns);
    return times;
  }
  std::optional<double> clock_mhz() const override { return raw_->clock_mhz(); }
  std::optional<double> tick_ns() const override { return raw_->tick_ns(); }
  std::optional<double> queue_slot_ns() const override { return raw_->queue_slot_ns(); }

  /// As many samples as the median needs to be within a tick of an H200's clock; on a host, whose flush takes
  /// up to 20 ms, as few as give it an interval.
  void calibrate(Mode mode) override {
    constexpr std::size_t least = 9, most = 31;
    constexpr auto enough = std::chrono::milliseconds(20);
    const auto start = std::chrono::steady_clock::now();
    std::vector<double> samples;
    while (samples.size() < least ||
           (samples.size() < most && std::chrono::steady_clock::now() - start < enough))
      samples.push_back(raw_->sample(mode, false, [] {}));
    empty_ = median_of(samples);
  }
  std::optional<Median> empty_sample() const override { return empty_; }

 private:
  double net(double ns) const { return empty_ ? std::max(ns - empty_->value, 0.1) : ns; }

  std::unique_ptr<Stopwatch> raw_;
  std::optional<Median> empty_;
};

std::unique_ptr<Stopwatch> stopwatch_of(Device& device) {
  if (device.target() == Target::host) return make_host_stopwatch(device.facts().l2_bytes);
#ifdef REDBENCH_WITH_CUDA
  if (device.target() == Target::cuda) return make_cuda_stopwatch(device);
#endif
  return nullptr;
}

}  // namespace

std::unique_ptr<Stopwatch> make_stopwatch(Device& device) {
  std::unique_ptr<Stopwatch> stopwatch = stopwatch_of(device);
  return stopwatch ? net_of_empty_samples(without_stops(std::move(stopwatch))) : nullptr;
}

std::unique_ptr<TeamStopwatch> make_team_stopwatch([[maybe_unused]] Team& team) {
#ifdef REDBENCH_WITH_CUDA
  if (team.own_device().target() == Target::cuda)
    return std::make_unique<UnstoppedTeamStopwatch>(make_cuda_team_stopwatch(team), team);
#endif
  return nullptr;
}

std::unique_ptr<Stopwatch> net_of_empty_samples(std::unique_ptr<Stopwatch> stopwatch) {
  return std::make_unique<NetStopwatch>(std::move(stopwatch));
}

std::unique_ptr<Stopwatch> without_stops(std::unique_ptr<Stopwatch> stopwatch) {
  return std::make_unique<UnstoppedStopwatch>(std::move(stopwatch));
}

}  // namespace redbench
