// What readers must know of a row before they believe it: a mark beside the number that it concerns, "[1]",
// and a note under the table; what concerns many rows a little, counted in a sentence.
#pragma once

#include <string>
#include <vector>

#include "src/records/record.hpp"
#include "src/tables/tables.hpp"

namespace redbench {

/// Marks the rows of a case table, of these records in order: one that is stale, disturbed times, an
/// energy that is missing, a share above the ceiling. Counts the rows that stopped at max_samples, and those
/// of one fork.
void mark_rows(Table& table, const std::vector<Record>& records);

}  // namespace redbench
