#include "src/tables/level_table.hpp"

#include <algorithm>
#include <set>

namespace redbench {
namespace {

/// Traces are not checked when records are read.
bool is_of_level(const Json& access) {
  return access.contains("level") && access.contains("lanes") && access.contains("cache_lines");
}

}  // namespace

Table level_table(const std::vector<Record>& records) {
  std::set<std::string> variants;
  const bool several = std::ranges::any_of(
      records, [&](const Record& record) { return !variants.insert(record["variant"]).second; });
  Table table;
  table.columns = {{"variant", false}, {"level", true}, {"accesses", true}, {"transfers", true}};
  if (several) table.columns.push_back({"case", false});
  for (const Record& record : records) {
    const auto trace = record.find("trace");
    if (trace == record.end() || !trace->is_array()) continue;
    for (const Json& access : *trace) {
      if (!is_of_level(access)) continue;
      table.rows.push_back({record["variant"].get<std::string>(), access["level"].dump(),
                            access["lanes"].dump(), access["cache_lines"].dump()});
      if (several) table.rows.back().push_back(record["key"]);
    }
  }
  return table;
}

}  // namespace redbench
