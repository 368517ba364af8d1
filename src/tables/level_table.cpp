#include "src/tables/level_table.hpp"

#include <algorithm>
#include <set>

namespace redbench {
namespace {

const Json* levels_of(const Record& record) {
  const auto found = record.find("levels");
  return found != record.end() && found->is_array() ? &*found : nullptr;
}

void add_line(std::string& text, std::size_t count, const std::function<std::string(std::size_t)>& field) {
  for (std::size_t i = 0; i < count; ++i) text += (i ? "," : "") + quoted_field(field(i));
  text += '\n';
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
    const Json* const levels = levels_of(record);
    if (!levels) continue;
    for (const Json& level : *levels) {
      table.rows.push_back({record["variant"].get<std::string>(), level["level"].dump(),
                            level["accesses"].dump(), level["transfers"].dump()});
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
