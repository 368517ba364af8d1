#include "src/tables/run_tables.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "src/tables/case_table.hpp"
#include "src/tables/fit.hpp"
#include "src/tables/full_rows.hpp"
#include "src/tables/level_table.hpp"
#include "src/tables/marks.hpp"
#include "src/tables/sections.hpp"
#include "src/tables/text.hpp"
#include "src/text/printable.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// Hardware of the run: "NVIDIA H200"; a modelled GPU by the name of its device.
std::vector<std::string> hardware_of(const std::vector<Record>& records) {
  std::vector<std::string> names;
  for (const Record& record : records) {
    const std::string device = record["device"];
    const std::string name = device.starts_with("simt") ? device : record["hardware"].get<std::string>();
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string caption_of(const StoredRun& run) {
  std::vector<std::string> parts{fmt::format("{}", fmt::join(hardware_of(run.records), ", ")), run.date(),
                                 run.name(), run.differences()};
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, "  ·  "));
}

/// Whether any case has more than launches.
bool has_quantities(const std::vector<Record>& records) {
  return std::ranges::any_of(records, [](const Record& record) {
    return record["time_ns"].is_number() || record["counters"].is_object();
  });
}

Json json_of(const Table& table) {
  Json columns = Json::array();
  for (const Table::Column& column : table.columns) columns.push_back({column.name, column.is_number});
  return {{"columns", columns}, {"rows", table.rows}};
}

/// What scripts/ show of a run: texts and notes that its records do not have themselves.
Json report_of(const StoredRun& run, const std::vector<PublishedNumber>& published) {
  Json sections = Json::array();
  for (const Section& section : sections_of(run)) {
    const Table cases = case_table(section.records, published);
    Json& added = sections.emplace_back(Json{{"heading", section.heading()}, {"caption", cases.caption}});
    for (const Record& record : section.records) {
      added["records"].push_back({record["key"], record["mode"], record["device"]});
      added["notes"].push_back(disturbances(record));
    }
    added["cases"] = json_of(cases);
    added["launches"] = json_of(launch_table(section.records, published));
    added["levels"] = json_of(level_table(section.records));
  }
  return {{"schema", 1}, {"date", run.date()}, {"differences", run.differences()}, {"sections", sections}};
}

}  // namespace

RunTables make_tables(const StoredRun& run, const std::vector<PublishedNumber>& published, int width) {
  const std::size_t most = std::size_t(width);
  RunTables tables;
  tables.csv = comma_separated(run.records, published);
  tables.json = json_rows(run.records, published);
  tables.report = report_of(run, published).dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  tables.markdown = fmt::format("# {}\n\n{}\n", printable(run.title()), printable(caption_of(run)));
  tables.terminal = paragraph(run.title(), most) + paragraph(caption_of(run), most);
  const bool color = takes_control_bytes(STDOUT_FILENO);
  for (const Section& section : sections_of(run)) {
    const auto add_markdown = [&](const std::string& heading, const Table& table) {
      tables.markdown += fmt::format("\n{}\n\n{}", printable(heading), markdown(table));
    };
    Table all_cases = case_table(section.records, published);
    mark_rows(all_cases, section.records);
    const Table cases = fit(all_cases, most), launches = fit(launch_table(section.records, published), most),
                levels = fit(level_table(section.records), most);
    tables.terminal += "\n" + paragraph(section.heading(), most) + aligned(cases, color, most);
    add_markdown("## " + section.heading(), cases);
    if (!launches.rows.empty()) add_markdown("### Launches", launches);
    if (!launches.rows.empty() && !has_quantities(section.records))
      tables.terminal += "\nLaunches\n" + aligned(launches, false, most);
    if (levels.rows.empty()) continue;
    tables.terminal += "\nLevels\n" + aligned(levels, false, most);
    add_markdown("### Levels", levels);
  }
  if (const Table levels = level_table(run.records); !levels.rows.empty())
    tables.levels_csv = comma_separated(levels);
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
  write("report.json", tables.report);
  return paths;
}

}  // namespace redbench
