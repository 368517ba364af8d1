// Traced accesses that the config calls levels (TraceOptions), in the terms of Martín et al.: accesses are
// lanes, transfers are cache lines.
#pragma once

#include "src/records/record.hpp"
#include "src/tables/tables.hpp"

namespace redbench {

/// A row for each level, with the case where a variant has several.
Table level_table(const std::vector<Record>& records);

}  // namespace redbench
