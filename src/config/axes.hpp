// The axes of an experiment, among them the launch parameters of variants: which there are, and what their
// values mean.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "src/inputs/problem.hpp"
#include "src/json/node.hpp"

namespace redbench {

/// The launch parameters of a card that have a name.
std::vector<Parameter> parameters_of(const Card& card);
/// Null where the card has none of that name.
const Parameter* find_parameter(const Card& card, std::string_view name);
bool takes(const Parameter& parameter, Index value);
/// "32 to 1024, powers of two"
std::string range_of(const Parameter& parameter);

/// Whether an axis makes another input: the others are launch parameters.
bool is_input_axis(const Problem& problem, const std::string& name);

/// The types or operators of a problem's pairs, each once and in their order.
template <class Axis>
std::vector<std::string> names_in(const Problem& problem, Axis Pair::*axis) {
  std::vector<std::string> names;
  for (const Pair& pair : problem.pairs) {
    std::string name(name_of(pair.*axis));
    if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
  }
  return names;
}

/// n, type, operator, the problem's own axes and the launch parameters of its variants of these short names.
std::vector<std::string> axis_names(const Problem& problem, const std::vector<std::string>& variants);

/// The values that one entry of an axis means: a size may be a range of them. Throws UsageError with the
/// place for a value that the axis does not take, and for a launch parameter that none of the variants takes.
std::vector<Json> axis_values(const Node& entry, const std::string& axis, const Problem& problem,
                              const std::vector<std::string>& variants);

/// The members of an object whose keys are variants without their problem. Throws UsageError with the place
/// for a key that no variant has.
std::vector<std::pair<std::string, Node>> by_variant(const Node& node);

/// Looks for a file, {"file": "x.npy"}, from `folder`, else from the working directory, else among the files
/// that come with the program, and gives its path; also in a list of such values. Other values stay as they
/// are.
Json with_found_files(const Json& value, const std::string& folder);

}  // namespace redbench
