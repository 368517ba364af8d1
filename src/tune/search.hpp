// The search of launch parameters: rounds over the candidates of variants at points.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/compare/comparison.hpp"
#include "src/config/tuned.hpp"
#include "src/device/devices.hpp"
#include "src/tune/tune.hpp"

namespace redbench {

/// A variant at a point, and which candidates are left.
struct Search {
  const Variant* variant;
  TunedPoint point;
  Json input;  // the axes of an experiment
  std::vector<Json> left;
  std::size_t tried = 0;
  std::optional<ComparedCase> outcome = {};
  std::string untimed = {};  // why no candidate has a time; empty: one has

  Json defaults() const;  // of the card
};

struct PlannedSearches {
  std::vector<Search> searches;
  double seconds;  // about; 0 on a device without time
};

/// How far a search came.
struct Searches {
  std::vector<Search> done, left;
  bool is_over_budget = false;  // rather than interrupted
};

/// The points that the options ask for, with their candidates. `folder` gets the configs of runs. Throws UsageError.
PlannedSearches plan_searches(const TuneOptions& options, OpenDevices& open,
                              const std::filesystem::path& folder);

/// Searches the points in groups, and goes on with what the folder has. `found` is called after each group. Returns the
/// exit code: exit_interrupted where points are left.
int run_searches(const TuneOptions& options, OpenDevices& open, const std::filesystem::path& folder,
                 Searches& all, const std::function<void()>& found);

}  // namespace redbench
