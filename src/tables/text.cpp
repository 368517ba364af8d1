#include "src/tables/text.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>

#include "src/text/printable.hpp"
#include "src/text/terminal.hpp"

namespace redbench {
namespace {

bool continues_character(char byte) { return (byte & 0xC0) == 0x80; }

/// Parts of at most `most` characters.
std::vector<std::string> cut_up(const std::string& word, std::size_t most) {
  std::vector<std::string> parts{""};
  for (const char byte : word) {
    if (!continues_character(byte) && width_of(parts.back()) == most) parts.emplace_back();
    parts.back() += byte;
  }
  return parts;
}

std::vector<std::string> joined(const std::vector<std::string>& words, std::size_t most) {
  std::vector<std::string> lines;
  for (const std::string& word : words) {
    if (!lines.empty() && width_of(lines.back()) + 1 + width_of(word) <= most) lines.back() += " " + word;
    else lines.push_back(word);
  }
  return lines;
}

std::string wrapped_line(const std::string& line, std::size_t width) {
  const std::size_t first = line.find_first_not_of(' '), gap = line.rfind("  ", width / 2);
  const bool has_columns = gap != line.npos && gap > first;
  const std::size_t start = has_columns ? line.find_first_not_of(' ', gap) : first;
  const std::size_t indent = has_columns && start + 16 < width ? start : first + 4;
  std::vector<std::string> words;
  for (const std::string& word : words_of(line.substr(start)))
    for (std::string& part : cut_up(word, width - indent)) words.push_back(std::move(part));
  return line.substr(0, start) + fmt::format("{}", fmt::join(joined(words, width - std::max(start, indent)),
                                                             "\n" + std::string(indent, ' ')));
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t given) {
  const std::size_t width = given == 0 ? 0 : std::max<std::size_t>(given, 40);
  std::string all;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line); all += '\n')
    all += width == 0 || width_of(line) <= width ? line : wrapped_line(line, width);
  return all;
}

void print_wrapped(const std::string& text) {
  fmt::print("{}", wrapped(text, terminal_width(STDOUT_FILENO)));
}

std::size_t width_of(const std::string& text) {
  return text.size() - std::size_t(std::ranges::count_if(text, continues_character));
}

std::string padded(const std::string& text, std::size_t to, bool right) {
  const std::string space(to - std::min(to, width_of(text)), ' ');
  return right ? space + text : text + space;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> lines_of(const std::string& text, std::size_t most) {
  return joined(words_of(text), most);
}

std::string paragraph(const std::string& given, std::size_t width, const std::string& indent) {
  const std::string text = printable(given);
  if (width == 0 || width_of(text) <= width) return text + '\n';
  const std::size_t most = std::max<std::size_t>(width, indent.size() + 1) - indent.size();
  std::vector<std::string> words;
  for (const std::string& word : words_of(text))
    for (std::string& part : cut_up(word, most)) words.push_back(std::move(part));
  return fmt::format("{}\n", fmt::join(joined(words, most), "\n" + indent));
}

std::string shortened(const std::string& text, std::size_t most) {
  if (width_of(text) <= most) return text;
  const std::size_t tail = (most - 1) / 2, head = most - 1 - tail, from = width_of(text) - tail;
  std::string start, end;
  std::size_t at = 0;
  for (const char byte : text) {
    at += !continues_character(byte);
    if (at <= head) start += byte;
    else if (at > from) end += byte;
  }
  return start + "…" + end;
}

}  // namespace redbench
