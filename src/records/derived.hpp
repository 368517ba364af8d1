// Numbers of a record that follow from others of it: computed here alone, once, and stored.
#pragma once

#include <vector>

#include "src/records/field.hpp"
#include "src/records/record.hpp"

namespace redbench {

/// Where a counter is null, and what follows from it.
inline constexpr const char* not_counted_by_ncu = "Nsight Compute does not count it";

/// Rows of the numbers that follow from counters.
std::vector<Field> derived_count_fields();

/// Adds them to counters (of a case, a launch or a source line) where they are missing; a counter that is
/// missing is 0. Null where the ratio is over nothing.
void add_derived_counts(Json& counters);

/// The same for the counters of a record and of its launches, and what follows from a launch's own time.
void add_derived(Record& record);

}  // namespace redbench
