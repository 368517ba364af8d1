// What a user may have meant by the name of a variant that is not there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace redbench {

/// "; did you mean `reduce/harris3`?" for a name with or without its problem, `others` being names that may
/// be meant as well; empty where none is near.
std::string nearest_variant(std::string_view name, const std::vector<std::string>& others = {});

}  // namespace redbench
