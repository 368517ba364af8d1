// Reads the experiments of a config: which variants, over which axes.
#pragma once

#include <string>
#include <vector>

#include "src/config/config.hpp"
#include "src/inputs/problem.hpp"
#include "src/json/node.hpp"

namespace redbench {

/// The entries of `experiments`, of the shape that config_shape gives them; more than one for an entry where
/// files decide n or type, none where -b leaves no variant. Files that an axis names, {"file": "x.npy"}, are
/// looked for in `folder` first, then in the working directory. `problems` gets those of all entries, also of
/// those that -b leaves out. Throws UsageError where an override changes nothing, and for too many cases.
std::vector<Experiment> read_experiments(const Node& list, const std::string& folder,
                                         const Overrides& overrides, Origins& origins,
                                         std::vector<const Problem*>& problems);

}  // namespace redbench
