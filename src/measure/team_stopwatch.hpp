// Measures the time of work that several GPUs do together: from one release of all to the end on each, by each GPU's
// own clock, of which the longest counts.
#pragma once

#include <functional>
#include <memory>

#include "src/device/team.hpp"

namespace redbench {

class TeamStopwatch {
 public:
  struct Sample {
    double ns;       // of the GPU that took longest
    double skew_ns;  // between the first and the last GPU to answer the release, by the host's clock
  };
  virtual ~TeamStopwatch() = default;
  /// Calls `work` for each rank, with all caches flushed. Unless it `synchronizes`, all is enqueued before the release;
  /// else the time has the launches in it, and whatever the host does. Throws DeviceError.
  virtual Sample sample(bool synchronizes, const std::function<void(int rank)>& work) = 0;
};

/// Null for GPUs that have no times (simt).
std::unique_ptr<TeamStopwatch> make_team_stopwatch(Team& team);
/// Those of a build with CUDA.
std::unique_ptr<TeamStopwatch> make_cuda_team_stopwatch(Team& team);

}  // namespace redbench
