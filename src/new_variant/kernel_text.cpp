#include "src/new_variant/kernel_text.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>

#include "src/error.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kernel_mark = "__global__";

bool is_word_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Past the comment, preprocessor line, string or character that begins at `i`; `i` where none does.
std::size_t past_no_code(const std::string& text, std::size_t i) {
  if (text.compare(i, 2, "//") == 0 || text[i] == '#') return std::min(text.find('\n', i), text.size());
  if (text.compare(i, 2, "/*") == 0) {
    const std::size_t end = text.find("*/", i + 2);
    return end == text.npos ? text.size() : end + 2;
  }
  const char quote = text[i];
  const bool separates_digits = quote == '\'' && i > 0 && is_word_letter(text[i - 1]);
  if ((quote != '"' && quote != '\'') || separates_digits) return i;
  std::size_t end = i + 1;
  while (end < text.size() && text[end] != quote) end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

/// Replaces a word in code, and leaves comments, strings, includes and names of other namespaces (::cub) as
/// they are.
std::string replace_word(const std::string& text, const std::string& word, const std::string& other) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = past_no_code(text, i);
    if (end == i && is_word_letter(text[i])) {
      while (end < text.size() && is_word_letter(text[end])) ++end;
      const std::string found = text.substr(i, end - i);
      result += found == word && !result.ends_with("::") ? other : found;
    } else {
      end = std::max(end, i + 1);
      result += text.substr(i, end - i);
    }
    i = end;
  }
  return result;
}

/// What stands before a file's first namespace. Includes are sorted, as clang-format has them.
struct Head {
  std::string comments, conditionals;
  std::set<std::string> library, own;

  /// Reads lines from `text` as long as they belong here; gives the rest.
  std::string add(const std::string& text) {
    std::istringstream lines(text);
    std::size_t at = 0;
    int depth = 0;
    for (std::string line; std::getline(lines, line) && !line.starts_with("namespace ");
         at += line.size() + 1) {
      depth += line.starts_with("#if");
      if (depth > 0) conditionals += line + '\n';
      else if (line.starts_with("//")) comments += line + '\n';
      else if (line.starts_with("#include <")) library.insert(line);
      else if (line.starts_with("#include \"")) own.insert(line);
      depth -= line.starts_with("#endif");
    }
    return text.substr(std::min(at, text.size()));
  }

  std::string text() const {
    std::string result = comments;
    const auto add_block = [&](const std::string& block) {
      if (!block.empty()) result += block + '\n';
    };
    const auto joined = [](const std::set<std::string>& lines) {
      std::string block;
      for (const std::string& line : lines) block += line + '\n';
      return block;
    };
    add_block(conditionals);
    add_block(joined(library));
    add_block(joined(own));
    return result;
  }
};

/// What a header that variants share declares: the inside of its namespaces.
std::string inside_of(const std::string& header, const std::string& text) {
  const std::string first = "inline namespace REDBENCH_TARGET {\n", last = "}  // namespace REDBENCH_TARGET";
  const std::size_t start = text.find(first), end = text.rfind(last);
  if (start == text.npos || end == text.npos)
    throw UsageError(header + ": has no namespace REDBENCH_TARGET, whose inside could be brought along");
  return text.substr(start + first.size(), end - start - first.size());
}

}  // namespace

KernelText smallest_kernel(const std::string& problem) {
  for (std::size_t i = 0; i < smallest_kernel_count; ++i)
    if (problem == smallest_kernels[i].problem)
      return {"kernels/smallest/" + problem + "/smallest.cu", "yours: ", smallest_kernels[i].text};
  throw UsageError("new-variant: " + problem + " has no smallest kernel to begin with; --from takes another");
}

std::vector<std::string> included_names(const std::string& text) {
  static const RE2 include("(?m:^)[ \t]*#[ \t]*include[ \t]*\"([^\"\n]+)\"");
  std::vector<std::string> names;
  re2::StringPiece rest(text);
  for (std::string name; RE2::FindAndConsume(&rest, include, &name);) names.push_back(name);
  return names;
}

void bring_kernels_along(KernelText& from, const fs::path& root) {
  if (from.text.find(kernel_mark) != std::string::npos) return;
  Head head;
  std::string brought, rest = head.add(from.text);
  for (const std::string& name : included_names(from.text)) {
    static const RE2 shared("kernels/[^/]+/[^/]+"), problem(".*/problem\\.hpp");
    if (!RE2::FullMatch(name, shared) || RE2::FullMatch(name, problem)) continue;
    const std::string part = read_text(root / name);
    if (part.find(kernel_mark) == part.npos) continue;
    head.own.erase("#include \"" + name + "\"");
    head.comments += "// Brought along from " + name + ": this file's own.\n";
    brought += inside_of(name, head.add(part));
  }
  if (brought.empty()) return;
  const std::string opening = "namespace redbench {\nnamespace {\n";
  rest = rest.starts_with(opening) ? rest.substr(opening.size() + 1)
                                   : "}  // namespace\n}  // namespace redbench\n\n" + rest;
  from.text = head.text() + opening + brought + rest;
}

std::string renamed(const KernelText& from, const std::string& stem) {
  std::string old;
  if (!RE2::PartialMatch(from.text, R"(REDBENCH_VARIANT\(\s*\w+,\s*(\w+)\s*\))", &old))
    throw UsageError(from.file + ": has no REDBENCH_VARIANT to rename");
  if (stem != old && replace_word(from.text, stem, "") != from.text)
    throw UsageError("`" + stem + "` is a name within " + from.file + "; take another");
  std::string result = replace_word(from.text, old, stem);
  const std::string title = ".title = \"";
  if (const std::size_t at = result.find(title); at != result.npos)
    result.insert(at + title.size(), from.title);
  return result;
}

std::string read_text(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError(path.string() + ": cannot be opened: " + std::strerror(errno));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace redbench
