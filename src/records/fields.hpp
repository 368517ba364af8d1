// The fields of a record (src/records/field.hpp).
#pragma once

#include <string>
#include <vector>

#include "src/records/field.hpp"

namespace redbench {

/// Fields of a record in order, with those of the instruments.
const std::vector<Field>& case_fields();
/// Fields of each entry of `launches`.
const std::vector<Field>& launch_fields();
/// Fields of `counters`, in a case and in a launch: the counters (docs/simt.md), then the numbers derived
/// from them.
const std::vector<Field>& counter_fields();

/// Columns of tables besides problems' axes and launch parameters: fields with a single value, and counters.
std::vector<std::string> column_names();
/// The columns that are numbers for readers: what a plot may show as its y.
std::vector<std::string> quantity_names();

}  // namespace redbench
