// The launch parameters of a variant's card: names, and which values they take.
#pragma once

#include <string>
#include <vector>

#include "kernels/variant.hpp"

namespace redbench {

/// The card's parameters that have a name.
std::vector<Parameter> parameters_of(const Card& card);
/// Null where the card has none of that name.
const Parameter* find_parameter(const Card& card, std::string_view name);

bool takes(const Parameter& parameter, Index value);
/// "32 to 1024, powers of two"
std::string range_of(const Parameter& parameter);

}  // namespace redbench
