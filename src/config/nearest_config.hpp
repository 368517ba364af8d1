// What a user may have meant by the path of a config that is not there.
#pragma once

#include <string>

namespace redbench {

/// "; did you mean `configs/quick.json`?" for a config beside the path or one of redbench's own; where none
/// is near, the folder of the latter.
std::string nearest_config(const std::string& path);

}  // namespace redbench
