#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace redbench {

/// The fields of a line of CSV, quoted as RFC 4180 has it, but without line breaks in fields.
std::vector<std::string> csv_fields(std::string_view line);

}  // namespace redbench
