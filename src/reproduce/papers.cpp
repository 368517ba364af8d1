#include "src/reproduce/papers.hpp"

#include <algorithm>
#include <array>
#include <filesystem>

#include "src/error.hpp"
#include "src/own_files.hpp"
#include "src/text/natural_order.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// In the order of their years, as configs/README.md lists them.
constexpr std::array papers{"slides", "sizmann2023", "luitjens2014", "martin2012", "eilers2014"};

std::vector<std::string> configs_in(const fs::path& folder) {
  std::vector<std::string> paths;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".json") paths.push_back(entry->path().generic_string());
  std::sort(paths.begin(), paths.end(), natural_less);
  return paths;
}

}  // namespace

std::vector<std::string> paper_names() {
  std::vector<std::string> names{"all"};
  names.insert(names.end(), papers.begin(), papers.end());
  return names;
}

std::vector<std::string> papers_of(const std::string& name) {
  const std::vector<std::string> names = paper_names();
  if (std::ranges::find(names, name) == names.end())
    throw UsageError("there is no paper `" + name + "`" + nearest_match(name, names) + "; there are " +
                     alternatives(names));
  return name == names[0] ? std::vector<std::string>(names.begin() + 1, names.end())
                          : std::vector<std::string>{name};
}

std::vector<std::string> configs_of(const std::string& paper) {
  const fs::path below = fs::path("configs") / paper;
  std::vector<std::string> paths = configs_in(below);
  if (paths.empty() && !own_files().empty()) paths = configs_in(own_files() / below);
  if (paths.empty())
    throw UsageError(below.string() + ": there are no configs, neither here nor with the program; " +
                     "redbench doctor says where its files are");
  return paths;
}

}  // namespace redbench
