// A config after it was resolved (Config::resolved): as workers are told it, and as run.json keeps it.
#pragma once

#include <string>

#include "src/config/config.hpp"

namespace redbench {

/// What this program has read and resolved in another process: nothing is checked again and no file is read.
Config told_config(const std::string& path, const std::string& name, const Json& resolved);

/// The experiments and the seed of a config that a file holds, checked as those of a config are; variants
/// that are no longer built are left out. `place` begins the message of the UsageError that it throws.
Config stored_config(const std::string& place, const Json& resolved, const Columns& columns);

}  // namespace redbench
