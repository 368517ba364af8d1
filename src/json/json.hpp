// The JSON of configs and records: objects keep the order of their keys.
#pragma once

#include <nlohmann/json.hpp>

namespace redbench {

using Json = nlohmann::ordered_json;

}  // namespace redbench
