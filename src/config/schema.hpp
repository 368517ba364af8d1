// The keys of a config for readers and editors, from the rows of keys.cpp.
#pragma once

#include <string>

#include "src/config/config.hpp"

namespace redbench {

/// configs/schema.json.
std::string schema_text(const Columns& columns);
/// The lists of keys of configs/README.md.
std::string keys_markdown(const Columns& columns);
/// The meaning of a key of `measure`, or of a top one: "measure.max_noise".
std::string meaning_of_key(const std::string& path);

}  // namespace redbench
