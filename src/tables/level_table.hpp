// The levels of counted cases (LevelOptions) as a table: a row for each, with its accesses and transfers, and
// with the case where a variant has several.
#pragma once

#include "src/records/record.hpp"
#include "src/tables/tables.hpp"

namespace redbench {

/// Without a row where no case has levels.
Table level_table(const std::vector<Record>& records);

/// Any table as CSV, its columns' names first.
std::string comma_separated(const Table& table);

}  // namespace redbench
