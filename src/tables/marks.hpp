// Warnings in tables: a mark "[1]" at the number that it concerns with a note under the table, and a sentence
// that counts the rows which share a minor one.
#pragma once

#include <string>
#include <vector>

#include "src/records/packed_records.hpp"
#include "src/tables/tables.hpp"

namespace redbench {

/// Marks the rows of a case table of these records: stale ones, disturbed times, missing energies, shares
/// above the ceiling. Counts the rows that stopped at max_samples, and those of a single fork.
void mark_rows(Table& table, const PackedRecords& records);

/// The notes that a record's time would get, those of minor marks too; none without a time. Not whether the
/// record is stale, which depends on today's sources.
std::vector<std::string> disturbances(const Record& record);

}  // namespace redbench
