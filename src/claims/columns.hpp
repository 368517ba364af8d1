// Columns that only claims have: numbers derived from one record.
#pragma once

#include <optional>
#include <string>

#include "src/config/config.hpp"
#include "src/records/record.hpp"

namespace redbench {

/// How a number depends on the time of its record: proportional, inverse, or not at all (exact).
enum class Follows : std::int8_t { against = -1, exact = 0, time = 1 };
Follows follows_time(const std::string& quantity);

/// Whether a column is a counter of the modelled device, or derived from one or from a trace.
bool is_counted(const std::string& column);

/// The columns of records, and the derived ones.
const Columns& claim_columns();
/// The derived columns as rows of a Markdown table: name, meaning.
std::string derived_columns_markdown();

/// An axis, parameter, field, counter or derived column of a record; null where it has none.
Json column_of(const Record& record, const std::string& column);
/// The same where it is a number.
std::optional<double> number_of(const Record& record, const std::string& column);

/// Whether the record has one of the values of each column of `where`. A variant may omit its problem.
bool fits_where(const Record& record, const Json& where);

/// Field that evidence adds to a record: the cache simulator's prediction by model, in nanoseconds per input.
inline constexpr const char* predicted_field = "predicted_ns_per_input";

}  // namespace redbench
