// Columns that claims have besides those of records: numbers that follow from one record.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/config/config.hpp"
#include "src/records/record.hpp"

namespace redbench {

/// How a number follows the time of its record: with it, against it, or not at all, which makes it exact.
enum class Follows : std::int8_t { against = -1, exact = 0, time = 1 };
Follows follows_time(const std::string& quantity);

/// Whether a column is a counter of the modelled device, or follows from one or from a trace.
bool is_counted(const std::string& column);

/// Those of records and the derived ones.
const Columns& claim_columns();
/// The derived ones as rows of a Markdown table: name, meaning.
std::string derived_columns_markdown();

/// An axis, parameter, field, counter or derived column of a record; null where it has none.
Json column_of(const Record& record, const std::string& column);
/// Of a record of which it is a number.
std::optional<double> number_of(const Record& record, const std::string& column);

/// Whether the record has one of the values of each column of `where`. A variant may go without its problem.
bool fits_where(const Record& record, const Json& where);

/// What a simulated cache says of a case, in the record that it is of: by model, nanoseconds per input.
inline constexpr const char* predicted_field = "predicted_ns_per_input";

}  // namespace redbench
