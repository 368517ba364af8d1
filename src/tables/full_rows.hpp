// Tables of all cases for other programs, with every number in the unit and precision of the record.
#pragma once

#include <string>
#include <vector>

#include "src/records/record.hpp"
#include "src/tables/published.hpp"

namespace redbench {

/// As CSV. Columns: each field with a single value, axis and parameter; counters where any case has them; the
/// number of samples; each field of the launches as a list, "blocks_per_launch"; the numbers of the paper,
/// "published_time_ns (GTX 480)". Lists are joined by "; ".
std::string comma_separated(const std::vector<Record>& records,
                            const std::vector<PublishedNumber>& published);
/// As JSON: an array of objects with these columns.
std::string json_rows(const std::vector<Record>& records, const std::vector<PublishedNumber>& published);

}  // namespace redbench
