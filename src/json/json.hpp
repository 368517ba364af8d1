// The JSON of configs and records: objects keep the order of their keys.
#pragma once

#include <nlohmann/json.hpp>

#include "src/json/shared_key.hpp"

namespace redbench {

using Json = nlohmann::basic_json<ObjectOfSharedKeys>;

}  // namespace redbench
