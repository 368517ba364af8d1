// The counters and the trace of a case, as fields of its record.
#pragma once

#include "src/cell/cell.hpp"

namespace redbench {

std::optional<WarpPlace> traced_warp(const MeasureOptions& options);

/// The field `trace`: what the traced warp accessed, in order. Null where no warp is traced, or nothing was
/// counted. Throws DeviceError where the case has no such warp, or the warp no such store.
Json trace_of(const MeasureOptions& options, const Case& case_, const std::vector<LaunchCounters>& launches);

/// Sets `counters` (sums over the launches), and `counters` and `lines` of each launch.
void add_counters(Record& record, const std::vector<LaunchCounters>& launches);

}  // namespace redbench
