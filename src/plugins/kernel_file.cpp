#include "src/plugins/kernel_file.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>

#include "src/error.hpp"
#include "src/inputs/problem.hpp"
#include "src/new_variant/kernel_text.hpp"
#include "src/own_files.hpp"
#include "src/registry.hpp"
#include "src/text/natural_order.hpp"
#include "src/text/nearest.hpp"
#include "src/text/sha256.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// Appends the headers in the order of the includes. As the compiler does, looks beside the file first.
void find_headers(const fs::path& file, const fs::path& beside, std::vector<fs::path>& found) {
  for (const std::string& name : included_names(read_text(file))) {
    if (name.starts_with("src/") || RE2::FullMatch(name, "kernels/contract/(cuda|simt)_language.hpp"))
      continue;
    for (const fs::path& place : {beside / name, own_files() / name}) {
      std::error_code error;
      const fs::path header = fs::canonical(place, error);
      if (error || !fs::is_regular_file(header)) continue;
      if (!std::ranges::count(found, header)) {
        found.push_back(header);
        find_headers(header, header.parent_path(), found);
      }
      break;
    }
  }
}

void check_variant_name(const fs::path& file, const std::string& problem, const std::string& stem) {
  const std::vector<std::string> problems = problem_names();
  if (!std::ranges::count(problems, problem))
    throw UsageError(fmt::format("{}: `{}` is no problem{}; a variant is <problem>/<name>.cu, of {}",
                                 file.string(), problem, nearest_match(problem, problems),
                                 alternatives(problems)));
  if (!RE2::FullMatch(stem, "[A-Za-z](_?[A-Za-z0-9])*_?"))
    throw UsageError(fmt::format(
        "{}: `{}` cannot name a variant: letters, digits and single _, a letter first", file.string(), stem));
}

bool may_be_kernel(const fs::path& file) {
  return (file.extension() == ".cu" || file.extension() == ".cpp") && !fs::is_directory(file);
}

/// It would be left out, in silence.
void refuse_outside_problem(const fs::path& file) {
  if (fs::is_regular_file(file) && read_text(file).find("REDBENCH_VARIANT(") != std::string::npos)
    throw UsageError(fmt::format("{}: is in no folder of a problem; a variant is <problem>/{}, of {}",
                                 file.string(), file.filename().string(), alternatives(problem_names())));
}

}  // namespace

std::vector<KernelFile> kernel_files(const std::string& folder) {
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error || !fs::is_directory(root)) throw UsageError(folder + ": there is no such folder");
  std::vector<KernelFile> files;
  for (const fs::path& below : fs::directory_iterator(root)) {
    if (may_be_kernel(below)) refuse_outside_problem(below);
    if (!fs::is_directory(below)) continue;
    for (const fs::path& file : fs::directory_iterator(below)) {
      if (!may_be_kernel(file)) continue;
      if (fs::exists(file) && !fs::is_regular_file(file)) throw UsageError(file.string() + ": is no file");
      const std::string problem = below.filename(), stem = file.stem();
      check_variant_name(file, problem, stem);
      files.push_back({file, problem + "/" + stem});
    }
  }
  if (files.empty())
    throw UsageError(fmt::format("{}: holds no variant: <problem>/<name>.cu or .cpp, of {}", folder,
                                 alternatives(problem_names())));
  std::ranges::sort(files, natural_less, &KernelFile::variant);
  return files;
}

std::vector<fs::path> parts_of(const KernelFile& file) {
  std::vector<fs::path> headers;
  find_headers(file.path, file.beside.empty() ? file.path.parent_path() : file.beside, headers);
  std::error_code error;
  const std::string own = fs::canonical(own_files(), error).string();
  const auto is_own = [&](const fs::path& header) {
    return header.string().starts_with(own + "/kernels/") ||
           header.string().starts_with(own + "/tests/wrong/");
  };
  const auto others = std::ranges::stable_partition(headers, is_own);
  std::sort(headers.begin(), others.begin());
  headers.insert(headers.begin(), file.path);
  return headers;
}

std::string byte_hash_of(const std::vector<fs::path>& parts) {
  std::string hashes;
  for (const fs::path& part : parts) hashes += sha256(read_text(part));
  return sha256(hashes).substr(0, 16);
}

}  // namespace redbench
