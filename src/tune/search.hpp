// The search of launch parameters: group by group, within a budget, gone on with by the next command.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "src/tune/points.hpp"

namespace redbench {

struct PlannedSearches {
  std::vector<Search> searches;
  double seconds;  // about; 0 on a device without time
};

/// How far a search came.
struct Searches {
  std::vector<Search> done, left;
  int code = 0;               // exit_interrupted where points are left
  std::string why_left = {};  // "interrupted"
};

/// The points that the options ask for, with their candidates, among them what the file that is `there` has for a point.
/// `folder` is as read_points has it. Throws UsageError.
PlannedSearches plan_searches(const TuneOptions& options, OpenDevices& open,
                              const std::filesystem::path& folder, const std::vector<TunedPoint>& there);

/// Searches the points in groups, and goes on with what the folder has. `found` is called with the points that an
/// earlier command has done, then after each group with its points. Throws UsageError.
Searches run_searches(const TuneOptions& options, OpenDevices& open, const std::filesystem::path& folder,
                      const std::vector<TunedPoint>& there,
                      const std::function<void(const std::vector<Search>&)>& found);

}  // namespace redbench
