// redbench new-variant: a file of one's own, from a variant that is there.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "src/build_facts.hpp"
#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/inputs/problem.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

struct NewVariantFlags {
  std::string name, from;
};

bool is_word_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool is_keyword(const std::string& word) {
  static const char* const keywords[] = {
      "alignas",  "alignof",  "and",      "asm",     "auto",    "bool",      "break",     "case",
      "catch",    "char",     "class",    "concept", "const",   "consteval", "constexpr", "constinit",
      "continue", "decltype", "default",  "delete",  "do",      "double",    "else",      "enum",
      "explicit", "export",   "extern",   "false",   "float",   "for",       "friend",    "goto",
      "if",       "inline",   "int",      "long",    "mutable", "namespace", "new",       "noexcept",
      "not",      "nullptr",  "operator", "or",      "private", "protected", "public",    "register",
      "requires", "return",   "short",    "signed",  "sizeof",  "static",    "struct",    "switch",
      "template", "this",     "throw",    "true",    "try",     "typedef",   "typeid",    "typename",
      "union",    "unsigned", "using",    "virtual", "void",    "volatile",  "while",     "xor"};
  return std::find(std::begin(keywords), std::end(keywords), word) != std::end(keywords);
}

/// The folder that holds kernels/variant.hpp: the working directory or one above it, else where redbench was
/// built.
fs::path repository() {
  const fs::path mark = fs::path("kernels") / "variant.hpp";
  for (fs::path folder = fs::current_path();; folder = folder.parent_path()) {
    if (fs::exists(folder / mark)) return folder;
    if (folder == folder.parent_path()) break;
  }
  if (fs::exists(build_facts.source_dir / mark)) return build_facts.source_dir;
  throw UsageError(
      "new-variant: no redbench repository here: neither the working directory nor one above it has " +
      mark.string());
}

const Variant& origin(const std::string& name) {
  const Variant* const variant = find_variant(name);
  if (variant && !variant->source.empty()) return *variant;
  throw UsageError("--from " + name + ": there is no such variant" + nearest_match(name, variant_names()) +
                   "; redbench list names them");
}

/// The part of "problem/name" after the slash. Throws where that could not be a variant's name.
std::string checked_stem(const std::string& name, const Variant& from) {
  const std::size_t slash = name.find('/');
  if (slash == name.npos)
    throw UsageError("new-variant " + name + ": a name has its problem before it, as in " + from.problem +
                     "/" + name);
  const std::string problem = name.substr(0, slash), stem = name.substr(slash + 1);
  const std::vector<std::string> known = problem_names();
  if (std::find(known.begin(), known.end(), problem) == known.end())
    throw UsageError("new-variant " + name + ": there is no problem `" + problem + "`" +
                     nearest_match(problem, known) + "; there are " + alternatives(known));
  if (problem != from.problem)
    throw UsageError("new-variant " + name + ": " + from.name +
                     " solves another problem; start from a variant of " + problem);
  const bool letters = !stem.empty() && std::all_of(stem.begin(), stem.end(), is_word_letter);
  if (!letters || std::isdigit(static_cast<unsigned char>(stem[0])) || stem[0] == '_' ||
      stem.find("__") != stem.npos || stem.size() > 60)
    throw UsageError("new-variant " + name + ": `" + stem +
                     "` cannot name a C++ struct: letters, digits and single _, a letter first, at most 60");
  if (is_keyword(stem)) throw UsageError("new-variant " + name + ": `" + stem + "` is a word of C++");
  return stem;
}

/// Replaces a word in code, and leaves comments and strings as they are.
std::string replace_word(const std::string& text, const std::string& word, const std::string& other) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (text.compare(i, 2, "//") == 0) {
      const std::size_t end = std::min(text.find('\n', i), text.size());
      result += text.substr(i, end - i);
      i = end;
    } else if (text[i] == '"') {
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
      result += text.substr(i, end - i);
      i = end;
    } else if (is_word_letter(text[i])) {
      std::size_t end = i;
      while (end < text.size() && is_word_letter(text[end])) ++end;
      const std::string found = text.substr(i, end - i);
      result += found == word ? other : found;
      i = end;
    } else {
      result += text[i++];
    }
  }
  return result;
}

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError(path.string() + ": cannot be opened: " + std::strerror(errno));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string renamed(const std::string& text, const std::string& stem, const Variant& from) {
  std::smatch found;
  if (!std::regex_search(text, found, std::regex(R"(REDBENCH_VARIANT\(\s*\w+,\s*(\w+)\s*\))")))
    throw UsageError(from.source + ": has no REDBENCH_VARIANT to rename");
  const std::string old = found[1];
  if (std::regex_search(text, std::regex("\\b" + stem + "\\b")) && stem != old)
    throw UsageError("`" + stem + "` is a name within " + from.source + "; take another");
  const std::string result = replace_word(text, old, stem);
  return std::regex_replace(result, std::regex(R"(\.title = ")"),
                            ".title = \"yours, from " + from.name + ": ",
                            std::regex_constants::format_first_only);
}

int new_variant(const NewVariantFlags& flags) {
  if (flags.from.empty())
    throw UsageError("new-variant: --from VARIANT is missing, as in --from reduce/harris3");
  const Variant& from = origin(flags.from);
  const std::string stem = checked_stem(flags.name, from);
  const fs::path root = repository();
  const fs::path folder = fs::path("kernels") / from.problem;
  for (const char* ending : {".cu", ".cpp"})
    if (const fs::path taken = folder / (stem + ending); fs::exists(root / taken))
      throw UsageError("new-variant " + flags.name + ": " + taken.string() + " is there already");
  if (find_variant(flags.name))
    throw UsageError("new-variant " + flags.name + ": there is a variant of that name already");

  const fs::path source = folder / (stem + fs::path(from.source).extension().string());
  const std::string text = renamed(read_file(root / from.source), stem, from);
  std::ofstream file(root / source, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    const std::string why = std::strerror(errno);
    fs::remove(root / source);
    throw UsageError((root / source).string() + ": cannot be written: " + why);
  }
  fmt::print(
      "{} is written. Next:\n"
      "  cmake --build build\n"
      "  build/redbench describe {}\n"
      "  build/redbench verify -b '^{}$'\n"
      "  build/redbench run configs/quick.json --set 'experiments[0].variants=[\"{}\", \"{}\"]'\n",
      source.string(), flags.name, flags.name, stem, from.short_name);
  return exit_fine;
}

}  // namespace

void add_new_variant(CLI::App& app, int& exit_code) {
  const auto flags = std::make_shared<NewVariantFlags>();
  CLI::App& command = add_command(app, "new-variant", "a file of your own, from a variant that is there",
                                  "  redbench new-variant reduce/mine --from reduce/harris3", exit_code,
                                  [flags] { return new_variant(*flags); });
  add_argument(command, "NAME", flags->name, "the new variant's name, as in reduce/mine");
  add_option(command, "--from", flags->from, "VARIANT", "the variant whose file is copied (required)");
}

}  // namespace redbench
