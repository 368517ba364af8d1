#include "src/plan/shard.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <numeric>
#include <queue>

#include "src/error.hpp"
#include "src/plan/cost.hpp"

namespace redbench {

Shard parse_shard(const std::string& text) {
  static const RE2 form("([0-9]{1,6})/([0-9]{1,6})");
  Shard shard{};
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format("--shard {}: {}", text.substr(0, 60), why));
  };
  if (!RE2::FullMatch(text, form, &shard.number, &shard.of))
    refuse("expected K/N, the K-th of N parts of the plan, as in 2/8");
  if (shard.of == 0) refuse("a plan has 1 part or more");
  if (shard.number < 1 || shard.number > shard.of)
    refuse(fmt::format("the parts are 1/{0} to {0}/{0}", shard.of));
  return shard;
}

std::vector<std::size_t> parts_of(const std::vector<std::uint64_t>& weights, std::size_t count) {
  std::vector<std::size_t> order(weights.size()), parts(weights.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return weights[i]; });
  using Load = std::pair<std::uint64_t, std::size_t>;  // of equal ones the first part
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (std::size_t part = 1; part <= std::min(count, weights.size()); ++part) loads.emplace(0, part);
  for (const std::size_t i : order) {
    const auto [load, part] = loads.top();
    loads.pop();
    parts[i] = part;
    loads.emplace(load + weights[i], part);
  }
  return parts;
}

Chosen cells_of_shard(const std::string& shard, const Plan& plan, const MeasureOptions& measure,
                      bool timing) {
  if (shard.empty()) return {};
  const Shard asked = parse_shard(shard);
  Chosen chosen;
  for (const std::size_t part : parts_of(cell_weights(plan, measure, timing), asked.of))
    chosen.push_back(part == asked.number);
  return chosen;
}

Plan chosen_part(const Plan& plan, const Chosen& chosen) {
  if (chosen.empty()) return plan;
  Plan part;
  for (std::size_t i = 0; i < plan.cells.size(); ++i)
    if (chosen[i]) part.cells.push_back(plan.cells[i]);
  return part;
}

}  // namespace redbench
