#include "src/config/axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <filesystem>
#include <map>

#include "src/config/config.hpp"
#include "src/own_files.hpp"
#include "src/registry.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

const Card& card_of(const Problem& problem, const std::string& variant) {
  return find_variant(problem.name + "/" + variant)->card;
}

/// Refuses a value of a launch parameter that none of the variants takes.
void check_parameter(const Node& entry, const std::string& name, Index value, const Problem& problem,
                     const std::vector<std::string>& variants) {
  std::map<std::string, std::vector<std::string>> by_range;
  for (const std::string& variant : variants) {
    const Parameter* const parameter = find_parameter(card_of(problem, variant), name);
    if (!parameter) continue;
    if (takes(*parameter, value)) return;
    by_range[range_of(*parameter)].push_back(variant);
  }
  std::string ranges;
  for (const auto& [range, names] : by_range)
    ranges += fmt::format("{}{} {} {}", ranges.empty() ? "" : "; ", fmt::join(names, ", "),
                          names.size() == 1 ? "takes" : "take", range);
  entry.fail(fmt::format("no listed variant takes {} = {}: {}", name, value, ranges));
}

}  // namespace

std::vector<Parameter> parameters_of(const Card& card) {
  std::vector<Parameter> named;
  for (const Parameter& parameter : card.parameters)
    if (!parameter.name.empty()) named.push_back(parameter);
  return named;
}

const Parameter* find_parameter(const Card& card, std::string_view name) {
  for (const Parameter& parameter : card.parameters)
    if (!name.empty() && parameter.name == name) return &parameter;
  return nullptr;
}

bool is_input_axis(const Problem& problem, const std::string& name) {
  if (name == "n" || name == "type" || name == "operator") return true;
  return std::ranges::find(problem.axes, name, &ProblemAxis::name) != problem.axes.end();
}

bool takes(const Parameter& parameter, Index value) {
  if (value < parameter.minimum || value > parameter.maximum) return false;
  switch (parameter.step) {
    case Step::power_of_two:
      return value > 0 && std::has_single_bit(std::uint64_t(value));
    case Step::multiple_of_warp:
      return value % 32 == 0;
    case Step::one:
      break;
  }
  return true;
}

std::string range_of(const Parameter& parameter) {
  if (parameter.minimum == parameter.maximum) return fmt::format("{} only", parameter.minimum);
  constexpr std::string_view steps[] = {"", ", powers of two", ", multiples of 32"};
  return fmt::format("{} to {}{}", parameter.minimum, parameter.maximum, steps[std::size_t(parameter.step)]);
}

std::vector<std::string> axis_names(const Problem& problem, const std::vector<std::string>& variants) {
  std::vector<std::string> names{"n", "type", "operator"};
  for (const ProblemAxis& axis : problem.axes) names.push_back(axis.name);
  for (const std::string& variant : variants)
    for (const Parameter& parameter : parameters_of(card_of(problem, variant)))
      if (std::ranges::find(names, parameter.name) == names.end()) names.emplace_back(parameter.name);
  return names;
}

std::vector<Json> axis_values(const Node& entry, const std::string& axis, const Problem& problem,
                              const std::vector<std::string>& variants) {
  if (axis == "type" || axis == "operator") {
    const std::vector<std::string> names =
        axis == "type" ? names_in(problem, &Pair::type) : names_in(problem, &Pair::op);
    return {names[entry.choice(names)]};
  }
  const auto own = std::ranges::find(problem.axes, axis, &ProblemAxis::name);
  const bool is_own = own != problem.axes.end();
  if (is_own && !own->sizes) {
    if (!own->allowed.empty()) entry.choice(own->allowed);
    if (own->check) entry.placed([&] { own->check(entry.value()); });
    return {entry.value()};
  }
  std::vector<Json> values;
  for (const Index size : entry.placed([&] { return parse_sizes(entry.value()); })) {
    if (is_own) entry.placed([&] { own->check(size); });
    else if (axis != "n") check_parameter(entry, axis, size, problem, variants);
    values.emplace_back(size);
  }
  return values;
}

std::vector<std::pair<std::string, Node>> by_variant(const Node& node) {
  std::vector<std::string> names;
  for (const Variant& variant : variants()) names.push_back(variant.short_name);
  std::vector<std::pair<std::string, Node>> members;
  for (const auto& [variant, value] : node.value().items()) {
    if (std::ranges::find(names, variant) == names.end())
      node[variant].fail("there is no variant of this name" + nearest_match(variant, names));
    members.emplace_back(variant, node[variant]);
  }
  return members;
}

Json with_found_files(const Json& value, const std::string& folder) {
  Json found = value;
  if (value.is_array()) {
    for (Json& entry : found) entry = with_found_files(entry, folder);
  } else if (value.is_object()) {
    for (auto& [key, name] : found.items()) {
      if (!name.is_string()) continue;
      const fs::path path = name.get<std::string>();
      const std::array places{folder / path, path, own_files() / path};
      std::error_code error;
      const auto there =
          std::ranges::find_if(places, [&](const fs::path& p) { return fs::exists(p, error); });
      name = (there == places.end() ? places[0] : *there).lexically_normal().generic_string();
    }
  }
  return found;
}

}  // namespace redbench
