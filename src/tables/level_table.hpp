// The accesses of traces that a config calls levels (TraceOptions), as a table: a row for each, with the case
// where a variant has several. In the words of Martín et al.: accesses are lanes, transfers are cache lines.
#pragma once

#include "src/records/record.hpp"
#include "src/tables/tables.hpp"

namespace redbench {

/// Without a row where no case has levels.
Table level_table(const std::vector<Record>& records);

/// Any table as CSV, its columns' names first.
std::string comma_separated(const Table& table);

}  // namespace redbench
