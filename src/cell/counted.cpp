#include "src/cell/counted.hpp"

#include <fmt/format.h>

#include "kernels/rounding.hpp"
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

/// Throws DeviceError where the case has no such warp.
void check_place(const WarpPlace& place, const Case& case_) {
  const std::vector<LaunchFacts>& launches = case_.footprint.launches;
  if (place.launch >= Index(launches.size()))
    throw DeviceError(
        fmt::format("trace: there is no launch {}; the case has {}", place.launch, launches.size()));
  const Grid& grid = launches[std::size_t(place.launch)].grid;
  if (place.block >= grid.blocks || place.warp >= ceil_div(grid.threads, 32))
    throw DeviceError(
        fmt::format("trace: there is no warp {} of block {} in launch {}, of {} blocks of {} threads",
                    place.warp, place.block, place.launch, grid.blocks, grid.threads));
}

/// Numbers the stores that are levels of the variant's tree. Throws DeviceError for a store that is not
/// there.
void number_levels(const std::vector<Index>& stores_of_levels, Json& trace) {
  std::vector<Json*> stores;
  for (Json& access : trace)
    if (access["access"] == "store") stores.push_back(&access);
  for (std::size_t level = 0; level < stores_of_levels.size(); ++level) {
    const Index store = stores_of_levels[level];
    if (store >= Index(stores.size()))
      throw DeviceError(fmt::format("trace: level {} is to be store {}, but the warp has {} stores", level,
                                    store, stores.size()));
    (*stores[std::size_t(store)])["level"] = level;
  }
}

}  // namespace

std::optional<WarpPlace> traced_warp(const MeasureOptions& options) {
  return options.trace ? std::optional(options.trace->warp) : std::nullopt;
}

Json trace_of(const MeasureOptions& options, const Case& case_, const std::vector<LaunchCounters>& launches) {
  if (!options.trace || launches.empty()) return nullptr;
  check_place(options.trace->warp, case_);
  Json trace = Json::array();
  for (const TracedAccess& access : launches[std::size_t(options.trace->warp.launch)].trace)
    trace.push_back({{"access", access.kind},
                     {"lanes", access.lanes},
                     {"cache_lines", access.cache_lines},
                     {"file", access.file},
                     {"line", access.line}});
  const auto levels = options.trace->levels.find(case_.variant->short_name);
  if (levels != options.trace->levels.end()) number_levels(levels->second, trace);
  return trace;
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
