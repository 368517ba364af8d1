#include "src/config/parameters.hpp"

#include <fmt/format.h>

#include <bit>

namespace redbench {

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

}  // namespace redbench
