// What follows from counters and launches, and what older files lack. Both are stored in the record.
#pragma once

#include <vector>

#include "src/records/fields.hpp"
#include "src/records/record.hpp"

namespace redbench {

/// Why a counter, and what is derived from it, is null.
inline constexpr const char* not_counted_by_ncu = "Nsight Compute does not count it";

/// Fields that are derived from counters.
std::vector<Field> derived_count_fields();

/// Adds to the counters of a case, a launch or a source line those of derived_count_fields() that they lack.
/// A missing counter is 0; what is derived from null, or over 0, is null.
void add_derived_counts(Json& counters);

/// Adds what follows from the counters of a record and of its launches, from the launches' times, and from
/// what was taken off the time.
void add_derived(Record& record);

/// Gives a record of an older redbench the fields that it lacks and that follow from others: `session`,
/// `forks`, and a list for each fork in `samples_ns`.
void complete_older(Record& record);

}  // namespace redbench
