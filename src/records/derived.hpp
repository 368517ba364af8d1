// Numbers derived from others of the same record: computed here only, and stored.
#pragma once

#include <vector>

#include "src/records/field.hpp"
#include "src/records/record.hpp"

namespace redbench {

/// Why a counter, and what is derived from it, is null.
inline constexpr const char* not_counted_by_ncu = "Nsight Compute does not count it";

/// Fields that are derived from counters.
std::vector<Field> derived_count_fields();

/// Adds the missing ones to the counters of a case, a launch or a source line. Missing counters are 0; what
/// is derived from null, or over 0, is null.
void add_derived_counts(Json& counters);

/// Adds the derived fields of a record and of its launches.
void add_derived(Record& record);

}  // namespace redbench
