// The configs that come with redbench, and which a user may have meant by the path of one that is not there.
#pragma once

#include <string>
#include <vector>

namespace redbench {

/// "; did you mean `configs/quick.json`?" for a config in the same folder or one of redbench's own; where
/// none is near, the folder of the latter.
std::string nearest_config(const std::string& path);

/// The paths of redbench's own configs, as a user in the working directory would write them, in order.
std::vector<std::string> own_configs();

}  // namespace redbench
