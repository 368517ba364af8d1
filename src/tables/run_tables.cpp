#include "src/tables/run_tables.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "src/tables/case_table.hpp"
#include "src/tables/full_rows.hpp"
#include "src/tables/level_table.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// What the run was measured on: "NVIDIA H200"; a modelled GPU by its device's name.
std::vector<std::string> hardware_of(const std::vector<Record>& records) {
  std::vector<std::string> names;
  for (const Record& record : records) {
    const std::string device = record["device"];
    const std::string name = device.starts_with("simt") ? device : record["hardware"].get<std::string>();
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string caption_of(const StoredRun& run, const std::string& common) {
  std::vector<std::string> parts{fmt::format("{}", fmt::join(hardware_of(run.records), ", ")), run.date(),
                                 run.name(), common, run.differences()};
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, "  ·  "));
}

bool color_wanted() {
  const char* const no_color = std::getenv("NO_COLOR");
  return ::isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

}  // namespace

RunTables make_tables(const StoredRun& run, const std::vector<PublishedNumber>& published) {
  Table cases = case_table(run.records, published);
  const Table launches = launch_table(run.records, published), levels = level_table(run.records);
  cases.caption = caption_of(run, cases.caption);
  RunTables tables;
  tables.csv = comma_separated(run.records, published);
  tables.json = json_rows(run.records, published);
  tables.markdown = markdown(cases, run.title());
  if (!launches.rows.empty()) tables.markdown += "\n## Launches\n\n" + markdown_table(launches);
  tables.terminal = aligned(cases, color_wanted());
  if (!levels.rows.empty()) {
    tables.levels_csv = comma_separated(levels);
    tables.markdown += "\n## Levels\n\n" + markdown_table(levels);
    tables.terminal += "\n" + aligned(levels, false);
  }
  return tables;
}

std::vector<std::string> write_tables(const StoredRun& run, const RunTables& tables, bool json) {
  const fs::path folder = fs::path(run.path) / "tables";
  fs::create_directories(folder);
  const std::string stem = fs::path(run.name()).filename().string();
  std::vector<std::string> paths;
  const auto write = [&](const std::string& name, const std::string& text) {
    paths.push_back((folder / name).string());
    write_file(paths.back(), text);
  };
  if (!tables.levels_csv.empty()) write(stem + ".csv", tables.levels_csv);
  write(stem + (tables.levels_csv.empty() ? ".csv" : "_cases.csv"), tables.csv);
  write(stem + ".md", tables.markdown);
  if (json) write(stem + ".json", tables.json);
  return paths;
}

}  // namespace redbench
