// JSON from strangers, read strictly.
#pragma once

#include <string>

#include "src/json/json.hpp"

namespace redbench {

/// Throws UsageError that begins with `place` where the text is no JSON (by line and column), has a key twice
/// in one object, a number that no type holds, or more than 64 levels.
Json parse_strictly(const std::string& text, const std::string& place);

/// The same of a file, which may be a FIFO. `what` says what such a file is, as in "a config".
Json read_json_file(const std::string& path, const std::string& what = "a config");

}  // namespace redbench
