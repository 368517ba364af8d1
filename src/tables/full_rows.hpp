// Records for other programs: every case with all that is known of it, in the units and digits of the
// records.
#pragma once

#include <string>
#include <vector>

#include "src/records/record.hpp"
#include "src/tables/published.hpp"

namespace redbench {

/// A column for each field of one value, axis, parameter and counter; the number of samples; for each field
/// of a launch one list, "blocks_per_launch"; and the paper's numbers, "published_time_ns (GTX 480)".
/// Counters are columns where any case has them. Lists are joined by "; ".
std::string comma_separated(const std::vector<Record>& records,
                            const std::vector<PublishedNumber>& published);
/// The same as an array of objects.
std::string json_rows(const std::vector<Record>& records, const std::vector<PublishedNumber>& published);

}  // namespace redbench
