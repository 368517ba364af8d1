// Hides the time that the host takes to launch: the device waits until everything is enqueued. Meanwhile it
// measures its clock.
#pragma once

#include <optional>

namespace redbench {

class Device;
struct Case;

class LaunchGap {
 public:
  /// Launches that may be enqueued behind the waiting kernel: the driver's queue holds about 1024, and a host
  /// that waits for room in it would wait for ever.
  static constexpr int most_launches = 900;

  LaunchGap();
  ~LaunchGap();
  LaunchGap(const LaunchGap&) = delete;
  LaunchGap& operator=(const LaunchGap&) = delete;

  /// Enqueues a kernel that waits for `release`, two seconds at most, and 10 us at least.
  void hold();
  void release();
  /// After the device is idle: the kernel ended by itself, because the host waited for the device before it
  /// released it.
  bool gave_up() const;
  /// After the device is idle: the clock of the SM on which that kernel waited, in MHz. None where it gave
  /// up, or none has waited.
  std::optional<double> clock_mhz() const;

 private:
  struct Flags {
    int released, gave_up;
    unsigned long long cycles, ns;  // of the wait
  };
  volatile Flags* flags_ = nullptr;  // in host memory that the device sees
};

/// Whether the time of a case is taken without the host's launches: on a GPU, and the case neither waits for
/// the device nor launches more than the queue holds.
bool hides_launch_gap(const Device& device, const Case& one);

}  // namespace redbench
