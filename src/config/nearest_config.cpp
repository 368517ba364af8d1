// The configs that come with redbench, and which a user may have meant by the path of one that is not there.

#include <algorithm>
#include <filesystem>
#include <vector>

#include "src/config/config.hpp"
#include "src/own_files.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// The JSON files of a folder, by their paths in it, in order.
template <class Iterator>
std::vector<std::string> json_files(const fs::path& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (Iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    if (entry->path().extension() == ".json")
      files.push_back(entry->path().lexically_relative(folder).generic_string());
  std::sort(files.begin(), files.end());
  return files;
}

/// As a user in the working directory would write it.
std::string shown(const fs::path& path) {
  std::error_code error;
  const fs::path below = path.lexically_relative(fs::current_path(error));
  return below.empty() || *below.begin() == ".." ? path.string() : below.string();
}

/// The paths of redbench's own configs below configs/: not the schema, models of devices and claims.
std::vector<std::string> own_names() {
  if (own_files().empty()) return {};
  std::vector<std::string> names = json_files<fs::recursive_directory_iterator>(own_files() / "configs");
  std::erase_if(names, [](const std::string& name) {
    return name == "schema.json" || name.starts_with("devices/") || name.starts_with("claims/");
  });
  return names;
}

}  // namespace

std::vector<std::string> own_configs() {
  std::vector<std::string> paths = own_names();
  for (std::string& name : paths) name = shown(own_files() / "configs" / name);
  return paths;
}

std::string nearest_config(const std::string& path) {
  fs::path asked = fs::path(path).lexically_normal();
  if (!asked.has_extension()) asked += ".json";
  const fs::path here = asked.has_parent_path() ? asked.parent_path() : fs::path(".");
  const auto neighbour = nearest_of(asked.filename().string(), json_files<fs::directory_iterator>(here));
  if (neighbour && asked.parent_path() / *neighbour != fs::path(path))  // a link to nothing has a name, too
    return did_you_mean((asked.parent_path() / *neighbour).string());

  if (own_files().empty()) return {};
  const fs::path own = own_files() / "configs";
  const std::vector<std::string> names = own_names();
  for (const std::string prefix : {"", "configs/"}) {
    std::vector<std::string> spelled;
    for (const std::string& name : names) spelled.push_back(prefix + name);
    if (const auto near = nearest_of(asked.generic_string(), spelled))
      return did_you_mean(shown(own / near->substr(prefix.size())));
  }
  return "; redbench's own configs are in " + shown(own);
}

}  // namespace redbench
