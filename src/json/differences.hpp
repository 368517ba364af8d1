// Where two documents differ, for messages.
#pragma once

#include <string>

#include "src/json/json.hpp"

namespace redbench {

/// What the two are called after their values: "seed is 1 there, 2 here".
struct NamesOfTwo {
  std::string first = "there", second = "here";
};

/// The first places that differ, with both values: "experiments[0].axes.n is [1] there, [2] here; and 3 more".
/// Empty where none does.
std::string differences(const Json& first, const Json& second, const NamesOfTwo& names = {});

}  // namespace redbench
