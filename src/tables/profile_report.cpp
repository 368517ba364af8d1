#include "src/tables/profile_report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/records/derived.hpp"
#include "src/tables/numbers.hpp"
#include "src/tables/tables.hpp"
#include "src/tables/text.hpp"

namespace redbench {
namespace {

using Count = std::uint64_t;

bool is_known(const Json& of, const std::string& name) {
  const auto found = of.find(name);
  return found == of.end() || !found->is_null();
}

/// Counters that are 0 may be missing.
Count count(const Json& of, const std::string& name) {
  return is_known(of, name) ? of.value(name, Count(0)) : 0;
}

std::string whole(Count value) { return value ? std::to_string(value) : ""; }

/// A number that follows from the counters; empty where it is a ratio over nothing.
std::string derived(const Json& counters, const std::string& name) {
  const Json& value = counters[name];
  return value.is_null() ? "" : significant(value.get<double>());
}

std::string percent(Count part, Count of) {
  return of ? fmt::format("{:.1f} %", 100 * double(part) / double(of)) : "";
}

/// Kinds of access: the prefixes of their counters.
constexpr const char* access_kinds[] = {"global_load", "global_store", "global_atomic",
                                        "shared_load", "shared_store", "shared_atomic"};

bool is_shared(const std::string& kind) { return kind.starts_with("shared"); }

Count of_kind(const Json& counters, const std::string& kind, const char* field) {
  return count(counters, kind + "_" + field);
}

Count cost_of(const Json& counters) {
  Count cost = count(counters, "global_atomic_degree") + count(counters, "shared_atomic_degree");
  for (const std::string kind : access_kinds)
    cost += of_kind(counters, kind, is_shared(kind) ? "wavefronts" : "sectors");
  return cost;
}

const std::vector<Table::Column> access_columns{
    {"access", false},     {"requests", true},   {"lanes each", true}, {"sectors", true},     {"ideal", true},
    {"cache lines", true}, {"wavefronts", true}, {"conflicts", true},  {"same address", true}};

std::vector<std::string> access_row(const Json& counters, const std::string& kind) {
  const std::size_t space = kind.find('_');
  return {kind.substr(0, space) + " " + kind.substr(space + 1),
          whole(of_kind(counters, kind, "requests")),
          derived(counters, kind + "_lanes_per_request"),
          whole(of_kind(counters, kind, "sectors")),
          whole(of_kind(counters, kind, "sectors_ideal")),
          whole(of_kind(counters, kind, "cache_lines")),
          whole(of_kind(counters, kind, "wavefronts")),
          is_shared(kind) && is_known(counters, kind + "_conflicts")
              ? std::to_string(of_kind(counters, kind, "conflicts"))
              : "",
          kind.ends_with("atomic") ? derived(counters, kind + "_degree_per_request") : ""};
}

std::string access_table(const Json& counters, std::size_t width) {
  Table table{.columns = access_columns};
  for (const std::string kind : access_kinds)
    if (of_kind(counters, kind, "requests")) table.rows.push_back(access_row(counters, kind));
  return aligned(fit(table, width), false, width);
}

/// "1234 branches of warps, 5.6 % divergent; 17.3 of 32 lanes active; ..."
std::string control_flow(const Json& counters) {
  if (!is_known(counters, "branches")) return "";
  std::string text = fmt::format("{} branches of warps", count(counters, "branches"));
  if (count(counters, "branches"))
    text += fmt::format(", {} % divergent, {} % around more than a few accesses",
                        derived(counters, "divergent_percent"), derived(counters, "unpredicable_percent"));
  text += fmt::format("; {} of 32 lanes active in a basic block\n", derived(counters, "active_lanes"));
  std::vector<std::string> meetings;
  for (const auto& [name, shown] : {std::pair("block_barriers", "block barriers"),
                                    {"named_barriers", "named barriers"},
                                    {"warp_barriers", "warp barriers"},
                                    {"warp_exchanges", "exchanges within a warp"}})
    if (const Count number = count(counters, name)) meetings.push_back(fmt::format("{} {}", number, shown));
  return meetings.empty() ? text : fmt::format("{}{}, counted by warp\n", text, fmt::join(meetings, ", "));
}

std::string shape(const Json& launch, std::size_t number) {
  return fmt::format(
      "launch {}: {}, {} blocks of {} threads, {} bytes of shared memory each\n"
      "occupancy {:.0f} %: {} blocks on a multiprocessor, limited by {}\n",
      number, launch["kernel"].get<std::string>(), launch["blocks"].get<Index>(),
      launch["threads"].get<int>(), launch["shared_bytes"].get<std::size_t>(),
      100 * launch["occupancy"].get<double>(), launch["resident_blocks"].get<int>(),
      launch["limiter"].get<std::string>());
}

std::vector<std::string> line_row(Json line, Count all, const SourceText& source) {
  add_derived_counts(line);
  const std::string file = line["file"];
  const int number = line["line"];
  return {number ? fmt::format("{}:{}", file, number) : "an unknown line",
          percent(cost_of(line), all),
          derived(line, "lanes_per_request"),
          whole(line["sectors"]),
          whole(line["sectors_ideal"]),
          whole(line["wavefronts"]),
          whole(line["conflicts"]),
          derived(line, "divergent_percent"),
          number ? source(file, number) : ""};
}

/// Lines that cost memory work, then those that diverge.
std::string line_table(const Json& launch, std::size_t most, const SourceText& source, std::size_t width) {
  std::vector<const Json*> lines;
  for (const Json& line : launch["lines"])
    if (cost_of(line) || count(line, "divergent_branches")) lines.push_back(&line);
  std::ranges::stable_sort(lines, [](const Json* a, const Json* b) {
    return std::pair(cost_of(*a), count(*a, "divergent_branches")) >
           std::pair(cost_of(*b), count(*b, "divergent_branches"));
  });
  Table table{.columns = {{"line", false},
                          {"cost", true},
                          {"lanes each", true},
                          {"sectors", true},
                          {"ideal", true},
                          {"wavefronts", true},
                          {"conflicts", true},
                          {"divergent %", true},
                          {"source", false}}};
  const Count all = cost_of(launch["counters"]);
  for (const Json* line : lines) {
    if (table.rows.size() == most) break;
    table.rows.push_back(line_row(*line, all, source));
  }
  return table.rows.empty() ? "" : aligned(fit(table, width), false, width);
}

}  // namespace

std::string profile_report(const Record& record, std::size_t lines, const SourceText& source,
                           std::size_t width) {
  if (record["counters"].is_null()) return "";
  std::string text;
  const Json& launches = record["launches"];
  std::size_t dearest = 0;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const Json& counters = launches[i]["counters"];
    if (cost_of(counters) > cost_of(launches[dearest]["counters"])) dearest = i;
    text += wrapped(shape(launches[i], i), width) + access_table(counters, width) +
            wrapped(control_flow(counters), width) + "\n";
  }
  const std::string table = launches.empty() ? "" : line_table(launches[dearest], lines, source, width);
  return table.empty() ? text : text + fmt::format("lines of launch {}, the dearest\n", dearest) + table;
}

}  // namespace redbench
