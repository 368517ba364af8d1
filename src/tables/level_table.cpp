#include "src/tables/level_table.hpp"

#include <algorithm>
#include <set>

namespace redbench {
namespace {

void add_line(std::string& text, std::size_t count, const std::function<std::string(std::size_t)>& field) {
  for (std::size_t i = 0; i < count; ++i) text += (i ? "," : "") + quoted_field(field(i));
  text += '\n';
}

/// Whether the access is one of a level, and tells what the table shows.
bool is_of_level(const Json& access) {
  return access.contains("level") && access.contains("lanes") && access.contains("cache_lines");
}

}  // namespace

Table level_table(const std::vector<Record>& records) {
  std::set<std::string> variants;
  const bool several = std::any_of(records.begin(), records.end(), [&](const Record& record) {
    return !variants.insert(record["variant"]).second;
  });
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

std::string comma_separated(const Table& table) {
  std::string text;
  add_line(text, table.columns.size(), [&](std::size_t i) { return table.columns[i].name; });
  for (const auto& row : table.rows) add_line(text, row.size(), [&](std::size_t i) { return row[i]; });
  return text;
}

}  // namespace redbench
