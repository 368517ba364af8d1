// Text from strangers on a terminal or in a table.
#pragma once

#include <string>
#include <string_view>

namespace redbench {

/// With its control characters written out, as \n and \x1b: they would break rows and command terminals.
std::string printable(std::string_view text);

}  // namespace redbench
