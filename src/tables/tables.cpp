#include "src/tables/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <sstream>

namespace redbench {
namespace {

/// Characters, not bytes: "µs" is two wide.
std::size_t width(const std::string& text) {
  return std::size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t to, bool right) {
  const std::string space(to - std::min(to, width(text)), ' ');
  return right ? space + text : text + space;
}

std::string on_one_line(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

/// A column's name on lines no wider than its values, or than its longest word.
std::vector<std::string> wrapped(const std::string& name, std::size_t most) {
  std::vector<std::string> lines;
  for (const std::string& word : words_of(name)) {
    if (!lines.empty() && width(lines.back()) + 1 + width(word) <= most) lines.back() += " " + word;
    else lines.push_back(word);
  }
  return lines;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : on_one_line(text)) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

}  // namespace

std::string aligned(const Table& table, bool color) {
  const std::size_t columns = table.columns.size();
  std::vector<std::size_t> widths(columns);
  std::vector<std::vector<std::string>> names(columns);
  std::size_t name_lines = 0;
  for (std::size_t i = 0; i < columns; ++i) {
    for (const std::string& word : words_of(table.columns[i].name))
      widths[i] = std::max(widths[i], width(word));
    for (const auto& row : table.rows) widths[i] = std::max(widths[i], width(row[i]));
    names[i] = wrapped(table.columns[i].name, widths[i]);
    name_lines = std::max(name_lines, names[i].size());
  }

  std::string out = table.caption.empty() ? "" : table.caption + "\n";
  const auto line = [&](const std::function<std::string(std::size_t)>& cell) {
    std::string text;
    for (std::size_t i = 0; i < columns; ++i) text += (i ? "  " : "") + cell(i);
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  };
  for (std::size_t at = 0; at < name_lines; ++at)
    line([&](std::size_t i) {
      const std::size_t above = name_lines - names[i].size();  // names stand on the rule
      return padded(at < above ? "" : names[i][at - above], widths[i], table.columns[i].is_number);
    });
  line([&](std::size_t i) { return std::string(widths[i], '-'); });
  for (const auto& row : table.rows)
    line([&](std::size_t i) {
      const std::string cell = padded(on_one_line(row[i]), widths[i], table.columns[i].is_number);
      if (!color || i + 1 < columns || row[i].starts_with("passed")) return cell;
      return (row[i].starts_with("unsupported") ? "\033[33m" : "\033[31m") + cell + "\033[0m";
    });
  for (std::size_t i = 0; i < table.notes.size(); ++i)
    out += fmt::format("[{}] {}\n", i + 1, on_one_line(table.notes[i]));
  return out;
}

std::string markdown_table(const Table& table) {
  std::string out;
  for (const Table::Column& column : table.columns) out += "| " + escaped(column.name) + " ";
  out += "|\n";
  for (const Table::Column& column : table.columns) out += column.is_number ? "| ---: " : "| --- ";
  out += "|\n";
  for (const auto& row : table.rows) {
    for (const std::string& cell : row) out += "| " + escaped(cell) + " ";
    out += "|\n";
  }
  for (std::size_t i = 0; i < table.notes.size(); ++i)
    out += fmt::format("{}{}. {}\n", i ? "" : "\n", i + 1, on_one_line(table.notes[i]));
  return out;
}

std::string markdown(const Table& table, const std::string& title) {
  return fmt::format("# {}\n\n{}{}", on_one_line(title), table.caption.empty() ? "" : table.caption + "\n\n",
                     markdown_table(table));
}

std::string quoted_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace redbench
