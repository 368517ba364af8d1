// The fields of a record, a row each (src/records/field.hpp).
#pragma once

#include <string>
#include <vector>

#include "src/records/field.hpp"

namespace redbench {

/// Of a record, in its order, the instruments' among them.
const std::vector<Field>& case_fields();
/// Of each entry of its `launches`.
const std::vector<Field>& launch_fields();
/// Of `counters`, of a case and of a launch: the counters (docs/simt.md), then what follows from them.
const std::vector<Field>& counter_fields();

/// Names of the columns that rows of records have besides the axes of their problems and the parameters of
/// their variants: fields of one value, and counters.
std::vector<std::string> column_names();
/// Those of them that are numbers for readers: what a plot may have as its y.
std::vector<std::string> quantity_names();

}  // namespace redbench
