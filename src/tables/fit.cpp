#include "src/tables/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "src/tables/text.hpp"

namespace redbench {
namespace {

// Lengths that texts are shortened to: enough for most names, and the least that still tells names apart.
constexpr std::size_t comfortable = 32, fewest = 18;

std::string note_mark(std::size_t number) { return fmt::format(" [{}]", number); }

/// Shortens texts of more than `most` characters, each with a note of the whole text.
Table with_short_texts(Table table, std::size_t most) {
  std::vector<std::string> cut;  // whole texts, in the order of their notes
  const std::size_t first = table.notes.size();
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].is_number) continue;
    for (auto& row : table.rows) {
      if (width_of(row[i]) <= most) continue;
      const auto found = std::ranges::find(cut, row[i]);
      const std::string mark = note_mark(first + std::size_t(found - cut.begin()) + 1);
      if (found == cut.end()) cut.push_back(row[i]);
      row[i] = shortened(row[i], most - std::min(most - 3, mark.size())) + mark;
    }
  }
  table.notes.insert(table.notes.end(), cut.begin(), cut.end());
  return table;
}

/// Indices of the columns in the order in which they are dropped; the first column of the table never is.
std::vector<std::size_t> by_importance(const Table& table) {
  std::vector<std::size_t> order;
  for (std::size_t i = table.columns.size(); i-- > 1;) order.push_back(i);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return table.columns[a].importance < table.columns[b].importance;
  });
  return order;
}

void leave_out(Table& table, std::size_t column) {
  const auto at = std::ptrdiff_t(column);
  table.columns.erase(table.columns.begin() + at);
  for (auto& row : table.rows) row.erase(row.begin() + at);
}

/// Drops the columns of these indices, with a remark that names them. Notes of dropped columns stay: they are
/// still true.
Table without(Table table, std::vector<std::size_t> columns, std::size_t width) {
  std::ranges::sort(columns);
  std::vector<std::string> names;
  for (const std::size_t i : columns) names.push_back(table.columns[i].name);
  for (auto i = columns.rbegin(); i != columns.rend(); ++i) leave_out(table, *i);
  if (!names.empty())
    table.remarks.push_back(
        fmt::format("Left out for a width of {}: {}. The CSV file has all that was measured, --width 0 shows "
                    "these columns, too.",
                    width, fmt::join(names, "; ")));
  return table;
}

}  // namespace

Table fit(const Table& table, std::size_t width) {
  if (width == 0 || aligned_width(table) <= width) return table;
  const std::vector<std::size_t> order = by_importance(table);
  const auto is_needed = [&](std::size_t i) { return table.columns[i].importance >= Table::needed; };
  const auto spare = std::size_t(std::ranges::find_if(order, is_needed) - order.begin());
  const std::size_t most = order.size() - std::min<std::size_t>(order.size(), 1);
  Table narrow = table;
  // Dispensable columns are dropped before names are shortened so far that readers must look them up.
  for (const auto& [text, from, to] : {std::tuple(comfortable, std::size_t(0), spare), {fewest, spare, most}})
    for (std::size_t gone = from; gone <= to; ++gone) {
      narrow = with_short_texts(without(table, {order.begin(), order.begin() + std::ptrdiff_t(gone)}, width),
                                text);
      if (aligned_width(narrow) <= width) return narrow;
    }
  return narrow;
}

}  // namespace redbench
