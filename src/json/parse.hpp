// JSON that programs wrote: files that people write have a stricter reader (src/json/strict.hpp).
#pragma once

#include <cstddef>
#include <string>

#include "src/json/json.hpp"

namespace redbench {

/// Deeper nesting is refused: copying and writing a value take a frame of the stack for each level.
inline constexpr std::size_t deepest_json = 64;

/// Discarded (is_discarded()) where the text is no JSON, or nested more deeply.
Json parse_json(const std::string& text);

/// A member; null where there is none, or no object.
Json part_of(const Json& object, const char* name);

/// As a file or standard output has it: indented by one, bytes that are no UTF-8 replaced, with a line break.
std::string indented(const Json& json);

}  // namespace redbench
