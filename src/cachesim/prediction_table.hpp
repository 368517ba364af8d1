// Predictions as tables, and as what scripts/plot_cachesim.py draws.
#pragma once

#include <string>

#include "src/cachesim/prediction.hpp"
#include "src/tables/tables.hpp"

namespace redbench {

/// A row for each case, for people: times, errors, misses of each level and of the TLB.
Table prediction_table(const Predictions& predictions);

/// The same with every count, for programs.
std::string prediction_csv(const Predictions& predictions);

/// {"schema", "name", "title", "steps", "machines", "errors": mean errors, "cases", "left_out"}
Json prediction_json(const Config& config, const std::vector<MachineFile>& machines,
                     const Predictions& predictions);

}  // namespace redbench
