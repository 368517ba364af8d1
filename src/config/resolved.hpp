// A config after it was resolved (Config::resolved): as worker processes get it, and as run.json keeps it.
#pragma once

#include <string>

#include "src/config/config.hpp"

namespace redbench {

/// A config that another process of this program has checked: nothing is checked again, and no file is read.
Config deserialize_config(const std::string& path, const std::string& name, const Json& resolved);

/// The experiments and the seed of a config that a file holds, checked as those of a config are; variants
/// that are no longer built are left out. `place` begins the message of the UsageError that it throws.
Config stored_config(const std::string& place, const Json& resolved, const Columns& columns);

}  // namespace redbench
