#include "src/new_variant/kernel_text.hpp"

#include <re2/re2.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

#include "src/error.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kernel_mark = "__global__";

/// Replaces a word in code, and leaves comments, strings, preprocessor lines and names of other namespaces (::cub) as
/// they are.
std::string replace_word(const std::string& text, const std::string& word, const std::string& other) {
  static const RE2 token(R"re((?s)(//[^\n]*|#[^\n]*|/\*.*?(?:\*/|$))re"             // no code
                         R"re(|"(?:\\.|[^"\\])*(?:"|$)|'(?:\\.|[^'\\])*(?:'|$))re"  // texts, characters
                         R"re(|::\w+|\d[\w']*|\w+|.))re",                           // names, numbers
                         RE2::Latin1);
  std::string result, found;
  for (re2::StringPiece rest(text); RE2::Consume(&rest, token, &found);)
    result += found == word ? other : found;
  return result;
}

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
  static const RE2 include("(?m:^)[ \t]*#[ \t]*include[ \t]*[\"<]([^\">\n]+)");
  std::vector<std::string> names;
  re2::StringPiece rest(text);
  for (std::string name; RE2::FindAndConsume(&rest, include, &name);) names.push_back(name);
  return names;
}

void bring_kernels_along(KernelText& from, const fs::path& root) {
  if (from.text.find(kernel_mark) != std::string::npos) return;
  std::string brought;
  for (const std::string& name : included_names(from.text)) {
    static const RE2 shared("kernels/[^/]+/[^/]+"), problem(".*/problem\\.hpp");
    if (!RE2::FullMatch(name, shared) || RE2::FullMatch(name, problem)) continue;
    const std::string header = read_text(root / name), include = "#include \"" + name + "\"\n",
                      pragma = "#pragma once\n";
    const std::size_t place = from.text.find(include);
    if (place == from.text.npos || header.find(kernel_mark) == header.npos) continue;
    brought += inside_of(name, header);
    std::string head = "// Brought along from " + name + ": this file's own.\n" +
                       header.substr(0, header.find("\n\nnamespace ") + 1);
    if (const std::size_t at = head.find(pragma); at != head.npos) head.erase(at, pragma.size());
    from.text.replace(place, include.size(), head);
  }
  if (!brought.empty())
    from.text.insert(from.text.find("\nnamespace ") + 1, "namespace redbench {\nnamespace {\n" + brought +
                                                             "}  // namespace\n}  // namespace redbench\n\n");
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
