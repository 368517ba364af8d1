// The rows of a record's fields for readers and for other programs.
#pragma once

#include <string>

#include "src/json.hpp"

namespace redbench {

/// Markdown tables of the fields of a case, of a launch, and of what follows from counters, with their
/// headings: a part of docs/reference/records.md.
std::string fields_markdown();

/// The JSON schema of a record (results/record.schema.json). Beside what a schema says, a field that readers
/// see has `shown` (label, unit, scale, digits, and how papers give it), and one that tells cases apart
/// `axis`.
Json record_schema_json();

}  // namespace redbench
