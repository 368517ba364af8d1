// How much time a reproduction may take for its numbers to be narrow: bounds of what configs ask for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/config/config.hpp"

namespace redbench {

/// A key of `measure` and the most that it may be; what a config has less of stays.
struct Bound {
  std::string_view key;
  double most;
};

/// Elements of an input, for configs that have one n alone; 0: as the config says.
struct SizeBounds {
  Index modelled = 0;  // on a modelled device
  Index host = 0;      // where all variants run on the host
  Index labelled = 0;  // on a GPU, where all inputs have labels: results are then as many as labels or inputs
};

struct Precision {
  std::string_view name;
  std::string_view what;
  std::vector<Bound> bounds;
  SizeBounds most_n;
  double most_s;  // a config that is expected to take longer is left out; 0: none is
};

/// The first is what is taken where none is named.
const std::vector<Precision>& precisions();

/// Throws UsageError for a name that none has, with the nearest.
const Precision& precision_named(const std::string& name);

/// What is changed in a config whose variants run on such a device: as --set and -a have it.
Overrides overrides_of(const Precision& precision, const Config& config, Target target);

}  // namespace redbench
