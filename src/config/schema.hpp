// The keys of a config for readers and editors, from the rows of keys.cpp.
#pragma once

#include <string>
#include <vector>

#include "src/config/config.hpp"
#include "src/config/shape.hpp"

namespace redbench {

/// The JSON schema of a file of this shape.
std::string schema_text(const Shape& file, const std::string& title, const std::string& description);
/// The lists of its keys: those at the top, then of each of them that has keys of its own.
std::string keys_markdown(const Shape& file);

/// configs/schema.json.
std::string schema_text(const Columns& columns);
/// The lists of keys of configs/README.md.
std::string keys_markdown(const Columns& columns);
/// The meaning of a key of `measure`, or of a top one: "measure.max_noise".
std::string meaning_of_key(const std::string& path);

/// The paths of the keys that --set changes without the place of an experiment: "measure.max_noise".
std::vector<std::string> settable_keys();

}  // namespace redbench
