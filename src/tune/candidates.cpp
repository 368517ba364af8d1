#include "src/tune/candidates.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "src/config/axes.hpp"

namespace redbench {
namespace {

constexpr Index few = 17, most_resident = 32, warp = 32;

struct Tried {
  std::string name;
  Index fallback;
  std::vector<Index> values;
};

/// Leaves every second value and the default, and where these are all, one less.
void thin(Tried& tried) {
  std::size_t place = 0;
  const std::size_t erased =
      std::erase_if(tried.values, [&](Index value) { return place++ % 2 == 1 && value != tried.fallback; });
  if (erased > 0) return;
  const bool ends_with_default = tried.values.back() == tried.fallback;
  tried.values.erase(tried.values.end() - (ends_with_default ? 2 : 1));
}

std::size_t count(const std::vector<Tried>& all) {
  std::size_t product = 1;
  for (const Tried& tried : all) product *= tried.values.size();
  return product;
}

}  // namespace

bool is_searched(const Parameter& parameter) { return parameter.name != "published"; }

std::vector<Index> values_to_try(const Parameter& parameter, int multiprocessors) {
  if (!is_searched(parameter)) return {parameter.fallback};
  std::set<Index> values{parameter.fallback};
  const bool counts_blocks = parameter.step == Step::one && parameter.maximum > multiprocessors;
  const Index most =
      counts_blocks ? std::min(parameter.maximum, most_resident * multiprocessors) : parameter.maximum;
  if (most - parameter.minimum < few)
    for (Index value = parameter.minimum; value <= most; ++value) values.insert(value);
  if (!counts_blocks || parameter.minimum == 0) values.insert(parameter.minimum);
  const Index first = counts_blocks ? std::bit_floor(std::uint64_t(multiprocessors + 7) / 8)
                      : parameter.step == Step::multiple_of_warp ? warp
                                                                 : 1;
  for (Index value = first; value <= most; value *= 2) values.insert(value);
  for (Index each = 1; counts_blocks && each <= 8; each *= 2) values.insert(each * multiprocessors);
  std::erase_if(values, [&](Index value) { return !takes(parameter, value); });
  return {values.begin(), values.end()};
}

std::vector<Json> candidates(const Card& card, int multiprocessors, std::size_t most) {
  std::vector<Tried> all;
  for (const Parameter& parameter : parameters_of(card))
    all.push_back(
        {std::string(parameter.name), parameter.fallback, values_to_try(parameter, multiprocessors)});
  while (count(all) > most)
    thin(*std::ranges::max_element(all, {}, [](const Tried& tried) { return tried.values.size(); }));
  std::vector<Json> combinations{Json::object()};
  for (const Tried& tried : all) {
    std::vector<Json> longer;
    for (const Json& combination : combinations)
      for (const Index value : tried.values) longer.push_back(combination), longer.back()[tried.name] = value;
    combinations = std::move(longer);
  }
  return combinations;
}

}  // namespace redbench
