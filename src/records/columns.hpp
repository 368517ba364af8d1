// The columns of tables: fields of records beside axes and launch parameters.
#pragma once

#include <string>
#include <vector>

namespace redbench {

struct Columns;
struct Variant;

/// Columns of tables besides problems' axes and launch parameters: fields with a single value, and counters.
std::vector<std::string> column_names();

/// Axes, parameters and fields are columns side by side. Throws UsageError, with the variant's file, for a
/// parameter that is called as an axis of its problem, as a field or as another, or whose fallback it does not take.
void check_parameters(const std::vector<Variant>& variants);
/// The columns that configs may name.
const Columns& record_columns();

}  // namespace redbench
