// Measures the time of work on a device. Each disturbance of a sample has a file of its own in this folder.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "src/config/config.hpp"
#include "src/measure/stop_rule.hpp"

namespace redbench {

/// Estimates a clock's resolution as the smallest difference between consecutive times.
class Tick {
 public:
  void see(double ns) {
    const double step = ns > last_ ? ns - last_ : last_ - ns;
    if (any_ && step > 0 && (ns_ == 0 || step < ns_)) ns_ = step;
    last_ = ns;
    any_ = true;
  }
  /// 0 where all times were equal.
  double ns() const { return ns_; }

 private:
  bool any_ = false;
  double last_ = 0, ns_ = 0;
};

/// Takes one sample a call.
class Stopwatch {
 public:
  virtual ~Stopwatch() = default;
  /// Nanoseconds of `work`, which enqueues on the device. `synchronizes`: the device must not be kept waiting
  /// until all is enqueued, as `work` waits for it or launches more than its queue holds (hides_launch_gap);
  /// the time then includes launch overhead. In mode warm `work` is called once before, untimed; in mode
  /// graph it launches one graph, and caches are left as they are. Throws DeviceError.
  virtual double sample(Mode mode, bool synchronizes, const std::function<void()>& work) = 0;
  /// Nanoseconds of each launch of `work`, in order. The events between them add to the total, so these are
  /// shares of it rather than times to report.
  virtual std::vector<double> sample_launches(Mode mode, const std::function<void()>& work) = 0;
  /// The device's clock just before the last sample, in MHz; none where it is unknown (CPU).
  virtual std::optional<double> clock_mhz() const { return std::nullopt; }
  /// Resolution of the sampling clock, estimated from all samples; none where it is unknown, or finer than
  /// what is measured (CPU).
  virtual std::optional<double> tick_ns() const { return std::nullopt; }
  /// What the costly slot of the device's launch queue adds to a launch; the last sample avoided it. None
  /// where no slot is costly.
  virtual std::optional<double> queue_slot_ns() const { return std::nullopt; }
  /// Samples nothing in this mode, and takes its median off all that is sampled from now on
  /// (net_of_empty_samples).
  virtual void calibrate(Mode) {}
  /// What `calibrate` found; none where nothing is taken off.
  virtual std::optional<Median> empty_sample() const { return std::nullopt; }
};

/// Holds device memory for flushing the cache. Null for a device that has no times (simt). Throws
/// DeviceError.
std::unique_ptr<Stopwatch> make_stopwatch(Device& device);

/// One that takes the median of empty samples off each sample and off each launch, as both hold it in full
/// (docs/decisions/0016-what-two-events-cost.md); but off no sample of work that `synchronizes`: what the
/// host does meanwhile hides it. What is left is at least a tenth of a nanosecond, so that no time is 0.
std::unique_ptr<Stopwatch> net_of_empty_samples(std::unique_ptr<Stopwatch> stopwatch);

/// One that takes a sample again during which the process was stopped and continued (SIGSTOP, SIGCONT).
std::unique_ptr<Stopwatch> without_stops(std::unique_ptr<Stopwatch> stopwatch);

// The stopwatches of one device each, from which make_stopwatch chooses.
/// CUDA events around work on the default stream of the current GPU.
std::unique_ptr<Stopwatch> make_cuda_stopwatch(Device& device);
/// std::chrono::steady_clock around the call. `cache_bytes`: size of the last-level cache; a flush overwrites
/// twice as much.
std::unique_ptr<Stopwatch> make_host_stopwatch(std::size_t cache_bytes);

}  // namespace redbench
