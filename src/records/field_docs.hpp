// Documentation of the fields: Markdown and JSON schema.
#pragma once

#include <string>

#include "src/json/json.hpp"

namespace redbench {

/// Markdown tables of the fields of a case and of a launch, of the numbers derived from counters, and of the
/// fields of run.json and its sessions.
std::string fields_markdown();

/// The JSON schema of a record (results/record.schema.json). Fields in tables have, in addition, `shown`
/// (label, unit, scale, digits, and how papers print them); axes have `axis`.
Json record_schema_json();

}  // namespace redbench
