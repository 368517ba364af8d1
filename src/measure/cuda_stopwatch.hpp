// Time on a GPU: events around the device's work alone.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <vector>

#include "src/device/device.hpp"

namespace redbench {

/// Events that the device records around each of its launches while they are wanted.
class LaunchMarks {
 public:
  LaunchMarks() = default;
  ~LaunchMarks();
  LaunchMarks(const LaunchMarks&) = delete;
  LaunchMarks& operator=(const LaunchMarks&) = delete;

  /// Forgets earlier marks and records the start.
  void begin();
  /// Records the end of a launch; does nothing outside begin and end.
  void launched() {
    if (wanted_) mark();
  }
  /// Nanoseconds of each launch since `begin`, once the device is idle.
  std::vector<double> end();

 private:
  void mark();

  bool wanted_ = false;
  std::size_t used_ = 0;
  std::vector<cudaEvent_t> events_;
};

/// On the current device, for work on the default stream.
std::unique_ptr<Stopwatch> make_device_stopwatch(std::size_t l2_bytes, LaunchMarks& marks);

}  // namespace redbench
