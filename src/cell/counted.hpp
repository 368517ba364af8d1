// What a device has counted of a case, as fields of its record.
#pragma once

#include "src/cell/cell.hpp"

namespace redbench {

/// The warp to follow for a case's levels: its stores to the result.
Follow followed(const LevelOptions& levels, const Operands& operands, const Case& one);

/// The rows of the case's levels: level, accesses, transfers. Null where it has none, or nothing was counted.
/// Throws DeviceError for a step that the followed warp has not.
Json level_rows(const LevelOptions& levels, const Case& one, const std::vector<LaunchCounters>& launches);

/// Sets `counters` (sums over the launches), and `counters` and `lines` of each launch.
void add_counters(Record& record, const std::vector<LaunchCounters>& launches);

}  // namespace redbench
