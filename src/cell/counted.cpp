#include "src/cell/counted.hpp"

#include <fmt/format.h>

#include "src/error.hpp"

namespace redbench {
namespace {

Json all_counters(const Counters& counters) {
  Json json = Json::object();
  for (std::size_t i = 0; i < counter_count; ++i) json[std::string(counter_names[i])] = counters.values[i];
  return json;
}

Json counters_of_line(const LineCounters& line) {
  Json json{{"file", line.file}, {"line", line.line}};
  for (std::size_t i = 0; i < counter_count; ++i)
    if (line.counters.values[i]) json[std::string(counter_names[i])] = line.counters.values[i];
  return json;
}

}  // namespace

Follow followed(const LevelOptions& levels, const Operands& operands, const Case& one) {
  if (!levels.steps.contains(one.variant->short_name)) return {};
  const auto* const begin = static_cast<const std::byte*>(operands.result);
  return {levels.block, unsigned(levels.warp), begin, begin + one.sizes.result};
}

Json level_rows(const LevelOptions& levels, const Case& one, const std::vector<LaunchCounters>& launches) {
  const auto wanted = levels.steps.find(one.variant->short_name);
  if (wanted == levels.steps.end() || launches.empty()) return nullptr;
  if (levels.launch >= Index(launches.size()))
    throw DeviceError(
        fmt::format("levels: there is no launch {}; the case has {}", levels.launch, launches.size()));
  const std::vector<AccessStep>& steps = launches[std::size_t(levels.launch)].steps;
  Json rows = Json::array();
  for (const Index number : wanted->second) {
    if (number >= Index(steps.size()))
      throw DeviceError(
          fmt::format("levels: warp {} of block {} has {} stores to the result, so there is no step {}",
                      levels.warp, levels.block, steps.size(), number));
    const AccessStep& step = steps[std::size_t(number)];
    rows.push_back({{"level", rows.size()}, {"accesses", step.accesses}, {"transfers", step.transfers}});
  }
  return rows;
}

void add_counters(Record& record, const std::vector<LaunchCounters>& launches) {
  Counters total;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    total += launches[i].total;
    Json& entry = record["launches"][i];
    entry["counters"] = all_counters(launches[i].total);
    entry["lines"] = Json::array();
    for (const LineCounters& line : launches[i].lines) entry["lines"].push_back(counters_of_line(line));
  }
  record["counters"] = all_counters(total);
}

}  // namespace redbench
