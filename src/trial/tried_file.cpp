#include "src/trial/tried_file.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <cctype>

#include "src/error.hpp"
#include "src/inputs/problem.hpp"
#include "src/new_variant/kernel_text.hpp"
#include "src/plugins/build.hpp"
#include "src/records/output_file.hpp"
#include "src/registry.hpp"
#include "src/text/nearest.hpp"
#include "src/text/sha256.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// "TripleReduce" and "triple_reduce" are "triplereduce".
std::string squeezed(const std::string& name) {
  std::string letters;
  for (const char c : name)
    if (c != '_') letters += char(std::tolower(static_cast<unsigned char>(c)));
  return letters;
}

std::string problem_of(const fs::path& file) {
  std::string name;
  if (!RE2::PartialMatch(read_text(file), R"((?m:^)REDBENCH_VARIANT\(\s*(\w+)\s*,)", &name))
    throw UsageError(file.string() +
                     ": has no REDBENCH_VARIANT(Problem, Variant), which registers a variant");
  for (const std::string& problem : problem_names())
    if (squeezed(problem) == squeezed(name)) return problem;
  throw UsageError(fmt::format("{}: REDBENCH_VARIANT({}, ...): there is no such problem; there are {}",
                               file.string(), name, alternatives(problem_names())));
}

/// A name that a variant may have, and none has.
std::string variant_name(const std::string& problem, const std::string& stem) {
  std::string name;
  for (const char c : stem)
    if (std::isalnum(static_cast<unsigned char>(c))) name += c;
    else if (!name.empty() && name.back() != '_') name += '_';
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0]))) name = "tried_" + name;
  while (find_registered(problem + "/" + name)) name += "_tried";
  return problem + "/" + name;
}

}  // namespace

TriedFile::TriedFile(const std::string& path) {
  std::error_code error;
  now_.path = fs::canonical(path, error);
  if (error) throw UsageError(path + ": there is no such file");
  if (!fs::is_regular_file(now_.path)) throw UsageError(path + ": is no file");
  if (now_.path.extension() != ".cu" && now_.path.extension() != ".cpp")
    throw UsageError(path + ": a kernel file ends in .cu, or .cpp for a CPU algorithm");
  const std::string problem = problem_of(now_.path);
  now_.variant = variant_name(problem, now_.path.stem());
  folder_ = plugin_cache() / "tried" / sha256(now_.path.string()).substr(0, 16);
  fs::create_directories(folder_, error);
  if (error) throw UsageError(folder_.string() + ": " + error.message());
  before_ = {folder_ / ("before" + now_.path.extension().string()), now_.variant + "_before",
             now_.path.parent_path()};
}

std::optional<KernelFile> TriedFile::before() const {
  if (!fs::exists(before_.path) || read_text(before_.path) == read_text(now_.path)) return std::nullopt;
  return before_;
}

void TriedFile::keep() const { write_file(before_.path.string(), read_text(now_.path)); }

}  // namespace redbench
