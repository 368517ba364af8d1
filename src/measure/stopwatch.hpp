// Takes the time of work on a device. What disturbs a sample is dealt with here and in the files beside this.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "src/config/config.hpp"

namespace redbench {

/// The tick of a clock, from the times that it gave: the smallest difference of two that follow each other.
class Tick {
 public:
  void see(double ns) {
    const double step = ns > last_ ? ns - last_ : last_ - ns;
    if (any_ && step > 0 && (ns_ == 0 || step < ns_)) ns_ = step;
    last_ = ns;
    any_ = true;
  }
  /// 0 where all were alike.
  double ns() const { return ns_; }

 private:
  bool any_ = false;
  double last_ = 0, ns_ = 0;
};

/// One sample a call.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  /// Nanoseconds of `work`, which enqueues on the device. `synchronizes`: work waits for the device itself,
  /// so the launch gap stays visible. Where the mode is warm, it is called once before, untimed; where it is
  /// graph, `work` launches one, which is all that there is. Throws DeviceError.
  virtual double sample(Mode mode, bool synchronizes, const std::function<void()>& work) = 0;
  /// Nanoseconds of each launch of `work` apart, in order. The events between them add to the whole, so these
  /// are shares, not a headline.
  virtual std::vector<double> sample_launches(Mode mode, const std::function<void()>& work) = 0;
  /// The device's clock just before the last sample, in MHz; none where it is not known (a CPU).
  virtual std::optional<double> clock_mhz() const { return std::nullopt; }
  /// The tick of the clock that takes the samples, from all that it took; none where it is not known, or
  /// finer than what is measured (a CPU).
  virtual std::optional<double> tick_ns() const { return std::nullopt; }
  /// What the costly place of the device's queue adds to a launch, which the last sample was kept from; none
  /// where no place stands out.
  virtual std::optional<double> queue_slot_ns() const { return std::nullopt; }
};

/// Takes memory of the device for as long as it lives, to empty the cache with. Null where the device has no
/// time of its own (simt). Throws DeviceError.
std::unique_ptr<Stopwatch> make_stopwatch(Device& device);

// One maker per device; make_stopwatch chooses.
/// Events around the work of the current GPU, for work on the default stream.
std::unique_ptr<Stopwatch> make_cuda_stopwatch(Device& device);
/// The steady clock around the call. `cache_bytes`: size of the last-level cache, of which the flush
/// overwrites twice as much.
std::unique_ptr<Stopwatch> make_host_stopwatch(std::size_t cache_bytes);

}  // namespace redbench
