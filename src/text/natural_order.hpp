// Names in the order in which people count them.
#pragma once

#include <string_view>

namespace redbench {

/// Whether `a` comes before `b`, numbers within them by value: harris2 before harris10, fig4.9 before
/// fig4.10.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace redbench
