#include "src/tables/tables.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "src/tables/text.hpp"
#include "src/text/printable.hpp"
#include "src/text/terminal.hpp"

namespace redbench {
namespace {

/// Least width of a heading that is wrapped to at most `lines` lines, or to one word a line.
std::size_t heading_width(const std::string& name, std::size_t lines) {
  std::size_t width = 0;
  for (const std::string& word : words_of(name)) width = std::max(width, width_of(word));
  while (lines_of(name, width).size() > lines && width < width_of(name)) ++width;
  return width;
}

constexpr std::size_t any_number = 1000;  // of lines of a heading

/// Width of each column: its widest value, or its heading on so many lines. `most`: of values that are texts.
std::vector<std::size_t> column_widths(const Table& table, std::size_t name_lines,
                                       std::size_t most = std::size_t(-1)) {
  std::vector<std::size_t> widths(table.columns.size());
  for (std::size_t i = 0; i < widths.size(); ++i) {
    for (const auto& row : table.rows) widths[i] = std::max(widths[i], width_of(row[i]));
    if (!table.columns[i].is_number) widths[i] = std::min(widths[i], most);
    widths[i] = std::max(widths[i], heading_width(table.columns[i].name, name_lines));
  }
  return widths;
}

constexpr std::size_t gap = 2;  // between columns

std::size_t total(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), gap * (std::max<std::size_t>(widths.size(), 1) - 1));
}

/// Least width of the rows in characters.
std::size_t aligned_width(const Table& table) { return total(column_widths(table, any_number)); }

/// Column widths for headings on as few lines as fit into `width`.
std::vector<std::size_t> widths_within(const Table& table, std::size_t width) {
  for (const std::size_t lines : {2, 3, 4})
    if (std::vector<std::size_t> widths = column_widths(table, lines); width > 0 && total(widths) <= width)
      return widths;
  return column_widths(table, any_number);
}

Table printable_cells(const Table& table) {
  Table shown = table;
  for (Table::Column& column : shown.columns) column.name = printable(column.name);
  for (auto& row : shown.rows)
    for (std::string& cell : row) cell = printable(cell);
  return shown;
}

std::string markdown_cell(const std::string& text) {
  std::string out;
  for (const char c : markdown_text(text)) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

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
Table without(Table table, std::vector<std::size_t> columns, std::size_t width,
              const std::string& elsewhere) {
  std::ranges::sort(columns);
  std::vector<std::string> names;
  for (const std::size_t i : columns) names.push_back(table.columns[i].name);
  for (auto i = columns.rbegin(); i != columns.rend(); ++i) leave_out(table, *i);
  if (!names.empty())
    table.remarks.push_back(
        fmt::format("Left out for a width of {}: {}. {}", width, fmt::join(names, "; "), elsewhere));
  return table;
}

}  // namespace

int TableWidth::printed() const {
  const std::size_t terminal = is_asked ? 0 : terminal_width(STDOUT_FILENO);
  return terminal > 0 ? int(terminal) : in_files;
}

std::string note(const std::string& text, std::vector<std::string>& notes) {
  const auto found = std::ranges::find(notes, text);
  const auto number = found - notes.begin() + 1;
  if (found == notes.end()) notes.push_back(text);
  return fmt::format(" [{}]", number);
}

Table fit(Table table, std::size_t width, const std::string& elsewhere) {
  if (width == 0 || aligned_width(table) <= width) return table;
  const std::vector<std::size_t> order = by_importance(table);
  const auto is_wanted = [&](std::size_t i) { return table.columns[i].importance >= Table::wanted; };
  const auto spare = std::size_t(std::ranges::find_if(order, is_wanted) - order.begin());
  const std::size_t most = order.size() - std::min<std::size_t>(order.size(), 1);
  std::size_t longest = comfortable, gone = 0;  // of texts, and the number of columns that are dropped
  const auto fits = [&](std::size_t texts, std::size_t from, std::size_t to) {
    const std::vector<std::size_t> widths = column_widths(table, any_number, texts);
    for (std::size_t count = from; count <= to; ++count) {
      longest = texts, gone = count;
      std::size_t left = total(widths);
      for (std::size_t i = 0; i < gone; ++i) left -= widths[order[i]] + gap;
      if (left <= width) return true;
    }
    return false;
  };
  // Dispensable columns are dropped before names are shortened so far that readers must look them up.
  if (!fits(comfortable, 0, spare)) fits(fewest, spare, most);
  return with_short_texts(
      without(std::move(table), {order.begin(), order.begin() + std::ptrdiff_t(gone)}, width, elsewhere),
      longest);
}

std::string aligned(const Table& given, bool color, std::size_t width) {
  const Table table = printable_cells(given);
  const std::size_t columns = table.columns.size();
  const std::vector<std::size_t> widths = widths_within(table, width);
  std::vector<std::vector<std::string>> names(columns);
  std::size_t name_lines = 0;
  for (std::size_t i = 0; i < columns; ++i) {
    names[i] = lines_of(table.columns[i].name, widths[i]);
    name_lines = std::max(name_lines, names[i].size());
  }

  std::string out = table.caption.empty() ? "" : paragraph(table.caption, width);
  const auto line = [&](const std::function<std::string(std::size_t)>& cell) {
    std::string text;
    for (std::size_t i = 0; i < columns; ++i) text += (i ? std::string(gap, ' ') : "") + cell(i);
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  };
  for (std::size_t at = 0; at < name_lines; ++at)
    line([&](std::size_t i) {
      const std::size_t above = name_lines - names[i].size();  // headings are aligned at the bottom
      return padded(at < above ? "" : names[i][at - above], widths[i], table.columns[i].is_number);
    });
  line([&](std::size_t i) { return std::string(widths[i], '-'); });
  for (const auto& row : table.rows)
    line([&](std::size_t i) {
      const std::string cell = padded(row[i], widths[i], table.columns[i].is_number);
      if (!color || table.columns[i].name != outcome_heading || row[i].starts_with("passed")) return cell;
      return (row[i].starts_with("unsupported") ? "\033[33m" : "\033[31m") + cell + "\033[0m";
    });
  for (std::size_t i = 0; i < table.notes.size(); ++i)
    out += paragraph(fmt::format("[{}] {}", i + 1, table.notes[i]), width, "    ");
  for (const std::string& remark : table.remarks) out += paragraph(remark, width);
  return out;
}

std::string markdown_text(const std::string& text) {
  std::string out;
  for (const char c : printable(text)) {
    if (out.ends_with(']') && (c == '(' || c == ':')) out += '\\';
    if (c == '<') out += "&lt;";
    else out += c;
  }
  return out;
}

std::string markdown(const Table& table) {
  std::string out = table.caption.empty() ? "" : markdown_text(table.caption) + "\n\n";
  for (const Table::Column& column : table.columns) out += "| " + markdown_cell(column.name) + " ";
  out += "|\n";
  for (const Table::Column& column : table.columns) out += column.is_number ? "| ---: " : "| --- ";
  out += "|\n";
  for (const auto& row : table.rows) {
    for (const std::string& cell : row) out += "| " + markdown_cell(cell) + " ";
    out += "|\n";
  }
  for (std::size_t i = 0; i < table.notes.size(); ++i)
    out += fmt::format("{}{}. {}\n", i ? "" : "\n", i + 1, markdown_text(table.notes[i]));
  for (const std::string& remark : table.remarks) out += "\n" + markdown_text(remark) + "\n";
  return out;
}

std::string comma_separated(const Table& table) {
  std::vector<std::string> names;
  for (const Table::Column& column : table.columns) names.push_back(column.name);
  std::string out;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) out += (&cell == &cells[0] ? "" : ",") + quoted_field(cell);
    out += '\n';
  };
  add_line(names);
  for (const auto& row : table.rows) add_line(row);
  return out;
}

std::string quoted_field(const std::string& given) {
  std::string text;
  for (std::size_t at = 0, end = 0; end < given.size(); at = end + 1) {
    end = std::min(given.find_first_of("\n\r", at), given.size());
    text += printable(std::string_view(given).substr(at, end - at)) + given.substr(end, 1);
  }
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace redbench
