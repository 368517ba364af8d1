#include "src/measure/stopwatch.hpp"

#include <csignal>

#include "src/error.hpp"

namespace redbench {
namespace {

volatile std::sig_atomic_t continued = 0;  // how often this process went on after it had been stopped

/// Takes a sample again during which the process was stopped: host time is in it, and the kernel that
/// occupies a GPU has given up waiting.
class UnstoppedStopwatch : public Stopwatch {
 public:
  explicit UnstoppedStopwatch(std::unique_ptr<Stopwatch> taken) : taken_(std::move(taken)) {
    struct sigaction action {};
    action.sa_handler = [](int) { continued = continued + 1; };
    action.sa_flags = SA_RESTART;
    ::sigaction(SIGCONT, &action, nullptr);
  }

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
  template <class Take>
  static std::invoke_result_t<Take> unstopped(const Take& take) {
    for (;;) {
      const std::sig_atomic_t before = continued;
      try {
        auto taken = take();
        if (continued == before) return taken;
      } catch (const DeviceError&) {
        if (continued == before) throw;
      }
    }
  }

  std::unique_ptr<Stopwatch> taken_;
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
  return stopwatch ? without_stops(std::move(stopwatch)) : nullptr;
}

std::unique_ptr<Stopwatch> without_stops(std::unique_ptr<Stopwatch> stopwatch) {
  return std::make_unique<UnstoppedStopwatch>(std::move(stopwatch));
}

}  // namespace redbench
