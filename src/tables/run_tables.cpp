#include "src/tables/run_tables.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "src/records/output_file.hpp"
#include "src/tables/case_table.hpp"
#include "src/tables/fit.hpp"
#include "src/tables/full_rows.hpp"
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

/// What scripts/ show of a section: texts and notes that its records do not have themselves.
Json report_of(const Section& section, const Table& cases, const Table& launches, const Table& levels) {
  Json report{{"heading", section.heading()},
              {"caption", cases.caption},
              {"cases", json_of(cases)},
              {"launches", json_of(launches)},
              {"levels", json_of(levels)}};
  for (const Record& record : section.records) {
    report["records"].push_back({record["key"], record["mode"], record["device"]});
    report["notes"].push_back(disturbances(record));
  }
  return report;
}

}  // namespace

RunTables make_tables(const StoredRun& run, const std::vector<PublishedNumber>& published, int width) {
  const std::size_t most = std::size_t(width);
  RunTables tables;
  tables.csv = comma_separated(run.records, published);
  tables.json = json_rows(run.records, published);
  tables.markdown = fmt::format("# {}\n\n{}\n", printable(run.title()), printable(caption_of(run)));
  tables.terminal = paragraph(run.title(), most) + paragraph(caption_of(run), most);
  const bool color = takes_control_bytes(STDOUT_FILENO);
  Json sections = Json::array();
  for (const Section& section : sections_of(run)) {
    const auto add_markdown = [&](const std::string& heading, const Table& table) {
      tables.markdown += fmt::format("\n{}\n\n{}", printable(heading), markdown(table));
    };
    Table cases = case_table(section.records, published), launches = launch_table(section.records, published),
          levels = level_table(section.records);
    sections.push_back(report_of(section, cases, launches, levels));
    mark_rows(cases, section.records);
    for (Table* const table : {&cases, &launches, &levels}) *table = fit(*table, most);
    tables.terminal += "\n" + paragraph(section.heading(), most) + aligned(cases, color, most);
    add_markdown("## " + section.heading(), cases);
    if (!launches.rows.empty()) add_markdown("### Launches", launches);
    if (!launches.rows.empty() && !has_quantities(section.records))
      tables.terminal += "\nLaunches\n" + aligned(launches, false, most);
    if (levels.rows.empty()) continue;
    tables.terminal += "\nLevels\n" + aligned(levels, false, most);
    add_markdown("### Levels", levels);
  }
  const Json report{
      {"schema", 1}, {"date", run.date()}, {"differences", run.differences()}, {"sections", sections}};
  tables.report = report.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  if (const Table levels = level_table(run.records); !levels.rows.empty())
    tables.levels_csv = comma_separated(levels);
  return tables;
}

std::vector<std::string> write_tables(const StoredRun& run, const RunTables& tables, bool json) {
  fs::create_directories(fs::path(run.path) / "tables");
  const TablePaths to = table_paths(run.path, run.name());
  std::vector<std::string> written;
  const auto write = [&](const std::string& path, const std::string& text) {
    write_file(path, text);
    written.push_back(path);
  };
  if (!tables.levels_csv.empty()) write(to.csv, tables.levels_csv);
  write(tables.levels_csv.empty() ? to.csv : to.cases_csv, tables.csv);
  write(to.markdown, tables.markdown);
  if (json) write(to.json, tables.json);
  write(to.report, tables.report);
  return written;
}

}  // namespace redbench
