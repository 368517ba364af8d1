// Hides the host's launch overhead: a kernel keeps the device waiting until all work is enqueued, and
// measures the clock meanwhile.
#pragma once

#include <optional>

namespace redbench {

class Device;
struct Case;

class LaunchGap {
 public:
  /// The most launches that may be enqueued behind the waiting kernel: the driver's queue holds about 1024,
  /// and a host that waited for room in it would wait for ever.
  static constexpr int most_launches = 900;

  LaunchGap();
  ~LaunchGap();
  LaunchGap(const LaunchGap&) = delete;
  LaunchGap& operator=(const LaunchGap&) = delete;

  /// Enqueues the kernel that waits for `release`: for at least 10 us, for at most two seconds.
  void hold();
  void release();
  /// Whether the kernel timed out, because the host waited for the device before it called `release`. Valid
  /// once the device is idle.
  bool gave_up() const;
  /// The clock of the SM on which the kernel waited, in MHz; none where it timed out or never ran. Valid once
  /// the device is idle.
  std::optional<double> clock_mhz() const;

 private:
  struct Flags {
    int released, gave_up;
    unsigned long long cycles, ns;  // of the wait
  };
  volatile Flags* flags_ = nullptr;  // in host memory that the device sees
};

/// Whether the time of a case excludes launch overhead: on a GPU, where the case neither waits for the device
/// nor launches more than the queue holds.
bool hides_launch_gap(const Device& device, const Case& case_);

}  // namespace redbench
