#include "src/tables/run_tables.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <tuple>

#include "src/config/axes.hpp"
#include "src/inputs/problem.hpp"
#include "src/json/parse.hpp"
#include "src/parallel.hpp"
#include "src/records/fields.hpp"
#include "src/records/output_file.hpp"
#include "src/records/provenance.hpp"
#include "src/tables/case_table.hpp"
#include "src/tables/marks.hpp"
#include "src/tables/record_axes.hpp"
#include "src/tables/text.hpp"
#include "src/text/terminal.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* elsewhere =
    "The CSV file has all that was measured, --width 0 shows these columns, too.";

bool contains(const Json& list, const Json& value) { return std::ranges::find(list, value) != list.end(); }

/// Default of a problem's axis; null where it is unknown.
Json default_of_axis(const std::string& problem, const std::string& name) {
  const Problem* const found = find_problem(problem);
  if (found)
    for (const ProblemAxis& axis : found->axes)
      if (axis.name == name) return axis.fallback;
  return nullptr;
}

Json default_of_parameter(const std::string& variant, const std::string& name) {
  const Variant* const found = find_variant(variant);
  const Parameter* const parameter = found ? find_parameter(found->card, name) : nullptr;
  return parameter ? Json(parameter->fallback) : Json();
}

/// Whether the experiment, resolved as in run.json, has the case of the record. Axes that it does not list
/// have their defaults.
bool asks_for(const Json& experiment, const Record& record) {
  const std::string problem = record["problem"], variant = record["variant"];
  if (!experiment.is_object() || experiment.value("problem", Json()) != problem ||
      !contains(experiment.value("variants", Json::array()), short_variant(record)))
    return false;
  const Json axes = experiment.value("axes", Json::object());
  const auto fits = [&](const std::string& name, const Json& value, const Json& fallback) {
    const auto listed = axes.find(name);
    return listed != axes.end() ? contains(*listed, value) : fallback.is_null() || fallback == value;
  };
  for (const char* name : {"n", "type", "operator"})
    if (!fits(name, record[name], nullptr)) return false;
  for (const auto& [name, value] : record["axes"].items())
    if (!fits(name, value, default_of_axis(problem, name))) return false;
  for (const ProblemAxis& axis :
       find_problem(problem) ? find_problem(problem)->axes : std::vector<ProblemAxis>())
    if (axis.left_out_at_default && !record["axes"].contains(axis.name) &&
        !fits(axis.name, axis.fallback, axis.fallback))
      return false;
  if (part_of(record, "tuned") == true) return contains(part_of(experiment, "parameters"), "tuned");
  for (const auto& [name, value] : record["parameters"].items())
    if (!fits(name, value, default_of_parameter(variant, name))) return false;
  return true;
}

std::string device_text(const Record& record) {
  const std::string device = record["device"], hardware = record["hardware"];
  return device.starts_with("simt") ? device : fmt::format("{} ({})", hardware, device);
}

/// A column of CSV and JSON, the tables for programs; those for readers are Table::Column.
struct Column {
  std::string name;
  std::function<Json(const Record&)> value;
};

/// A field of each launch, or of its counters, as a list; null where no launch has it.
Json of_launches(const Record& record, const std::string& name, bool counted) {
  Json list = Json::array();
  for (const Json& launch : record["launches"])
    list.push_back(part_of(counted ? launch["counters"] : launch, name.c_str()));
  const bool any = std::ranges::any_of(list, [](const Json& value) { return !value.is_null(); });
  return any ? list : Json();
}

/// A column for each member of the records' objects, called by its name after `prefix`.
void add_members(std::vector<Column>& columns, const std::vector<Record>& records, const std::string& field,
                 const std::string& prefix) {
  for (const std::string& name : member_names(records, field))
    columns.push_back({prefix + name, [field, name](const Record& record) {
                         const Json value = part_of(record[field], name.c_str());
                         return value.is_object() ? Json(axis_text(value)) : value;
                       }});
}

void add_launches(std::vector<Column>& columns, bool counted) {
  for (const Field& field : launch_fields())
    if (field.kind != FieldKind::list && field.kind != FieldKind::object)
      columns.push_back({field.name + "_per_launch",
                         [&field](const Record& record) { return of_launches(record, field.name, false); }});
  for (const Field& field : counter_fields())
    if (counted && field.is_quantity())
      columns.push_back({field.name + "_per_launch",
                         [&field](const Record& record) { return of_launches(record, field.name, true); }});
}

void add_published(std::vector<Column>& columns, const std::vector<PublishedNumber>& published) {
  for (const PublishedNumber& number : published) {
    if (number.of_launch) continue;
    const std::string name = fmt::format("published_{} ({})", number.field->name, number.device);
    if (std::ranges::find(columns, name, &Column::name) != columns.end()) continue;
    columns.push_back(
        {name, [&published, &number](const Record& record) {
           Json value;
           for (const PublishedNumber& other : published)
             if (other.field == number.field && other.device == number.device && other.is_of(record))
               value = other.relation == "=" ? Json(other.value)
                                             : Json(fmt::format("{}{}", other.relation, other.value));
           return value;
         }});
  }
}

std::vector<Column> columns_of(const std::vector<Record>& records,
                               const std::vector<PublishedNumber>& published) {
  const bool counted =
      std::ranges::any_of(records, [](const Record& record) { return record["counters"].is_object(); });
  std::vector<Column> columns;
  for (const Field& field : case_fields()) {
    if (field.name == "launches") add_launches(columns, counted);
    else if (field.name == "samples_ns")
      columns.push_back({"samples", [](const Record& record) {
                           if (record["samples_ns"].is_null()) return Json();
                           std::size_t count = 0;
                           for (const Json& fork : record["samples_ns"])
                             count += fork.is_array() ? fork.size() : fork.get<std::size_t>();
                           return Json(count);
                         }});
    else if (field.name == "axes" || field.name == "parameters" || !field.fields.empty())
      add_members(columns, records, field.name, "");
    else if (field.kind == FieldKind::object) add_members(columns, records, field.name, field.name + "_");
    else if (field.kind != FieldKind::list)
      columns.push_back({field.name, [&field](const Record& record) { return record[field.name]; }});
  }
  columns.push_back({"stale", [](const Record& record) {
                       const std::string reason = why_stale(record);
                       return reason.empty() ? Json() : Json(reason);
                     }});
  add_published(columns, published);
  return columns;
}

std::string field_text(const Json& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::vector<std::string> parts;
  for (const Json& entry : value) parts.push_back(field_text(entry));
  return fmt::format("{}", fmt::join(parts, "; "));
}

/// The texts of all entries, one after the other, made by all cores.
template <class Entries, class TextOf>
std::string texts_of(const Entries& entries, const TextOf& text_of) {
  std::string all;
  std::vector<std::string> texts(1024);  // at a time
  for (std::size_t first = 0; first < entries.size(); first += texts.size()) {
    texts.resize(std::min(texts.size(), entries.size() - first));
    in_parallel(texts.size(), [&](std::size_t i) { texts[i] = text_of(entries[first + i]); });
    for (const std::string& text : texts) all += text;
  }
  return all;
}

std::string csv_rows(const std::vector<Record>& records, const std::vector<Column>& columns) {
  const auto line_of_cells = [&](const auto& cell) {
    std::string line;
    for (const Column& column : columns)
      line += (&column == &columns[0] ? "" : ",") + quoted_field(cell(column));
    return line + '\n';
  };
  return line_of_cells([](const Column& column) { return column.name; }) +
         texts_of(records, [&](const Record& record) {
           return line_of_cells([&](const Column& column) { return field_text(column.value(record)); });
         });
}

Json json_rows(const std::vector<Record>& records, const std::vector<Column>& columns) {
  Json rows = Json::array();
  for (const Record& record : records) {
    Json& row = rows.emplace_back(Json::object());
    for (const Column& column : columns) row[column.name] = column.value(record);
  }
  return rows;
}

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
                                 run.name(), run.machines(), run.differences()};
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, "  ·  "));
}

/// Whether any case has more than launches.
bool has_quantities(const std::vector<Record>& records) {
  return std::ranges::any_of(records, [](const Record& record) {
    return record["time_ns"].is_number() || record["counters"].is_object();
  });
}

/// A JSON list of what `json_of` makes of each entry. As one value, the rows of a table would take ten times
/// the memory of their text.
template <class Entries, class JsonOf>
std::string list_of(const Entries& entries, const JsonOf& json_of) {
  std::string text = texts_of(entries, [&](const auto& entry) { return line_of(json_of(entry)) + ','; });
  if (!text.empty()) text.pop_back();
  return '[' + std::move(text) + ']';
}

std::string json_of(const Table& table) {
  const auto of_column = [](const Table::Column& column) {
    return Json::array({column.name, column.is_number});
  };
  return R"({"columns":)" + list_of(table.columns, of_column) + R"(,"rows":)" +
         list_of(table.rows, [](const auto& row) { return Json(row); }) + '}';
}

/// Appends what scripts/ show of a section: texts and notes that its records do not have themselves.
void add_report(std::string& report, const Section& section, const Table& cases, const Table& launches,
                const Table& levels) {
  const auto identity = [](const Record& record) {
    return Json::array({record["key"], record["mode"], record["device"]});
  };
  report += R"({"heading":)" + line_of(section.heading()) + R"(,"caption":)" + line_of(cases.caption);
  report += R"(,"cases":)" + json_of(cases);
  report += R"(,"launches":)" + json_of(launches);
  report += R"(,"levels":)" + json_of(levels);
  report += R"(,"records":)" + list_of(section.records, identity);
  report += R"(,"notes":)" + list_of(section.records, disturbances) + '}';
}

}  // namespace

std::string Section::heading() const { return title.empty() ? device : title + ": " + device; }

std::vector<Section> sections_of(StoredRun run) {
  const auto place = "/config/experiments"_json_pointer;
  const Json experiments =
      run.facts.contains(place) && run.facts[place].is_array() ? run.facts[place] : Json::array();
  std::map<std::tuple<std::size_t, bool, std::string>, Section> sections;
  for (Record& record : run.records) {
    const auto found = std::ranges::find_if(
        experiments, [&](const Json& experiment) { return asks_for(experiment, record); });
    const Json title = found != experiments.end() ? part_of(*found, "title")
                       : experiments.empty()      ? Json()
                                                  : Json("Cases of no experiment of this config");
    const bool on_host = record["device"] == "host";
    Section& section = sections[{std::size_t(found - experiments.begin()), on_host, device_text(record)}];
    section.title = title.is_string() ? title.get<std::string>() : "";
    section.device = device_text(record);
    section.records.push_back(std::move(record));
  }
  std::vector<Section> in_order;
  for (auto& [place, section] : sections) in_order.push_back(std::move(section));
  return in_order;
}

RunTables make_tables(StoredRun run, const std::vector<PublishedNumber>& published, TableWidth width,
                      bool json) {
  const std::size_t printed = std::size_t(width.printed()), in_files = std::size_t(width.in_files);
  RunTables tables;
  tables.paths = table_paths(run.path, run.name());
  const std::vector<Column> columns = columns_of(run.records, published);
  tables.csv = csv_rows(run.records, columns);
  if (json) tables.json = indented(json_rows(run.records, columns));
  for (Record& record : run.records) record["samples_ns"] = nullptr;  // no table below has them
  tables.markdown = fmt::format("# {}\n\n{}\n", markdown_text(run.title()), markdown_text(caption_of(run)));
  tables.terminal = paragraph(run.title(), printed) + paragraph(caption_of(run), printed);
  const bool color = takes_control_bytes(STDOUT_FILENO);
  if (const Table levels = level_table(run.records); !levels.rows.empty())
    tables.levels_csv = comma_separated(levels);
  tables.report = fmt::format(R"({{"schema":1,"date":{},"differences":{},"sections":[)", line_of(run.date()),
                              line_of(run.differences()));
  for (Section& section : sections_of(std::move(run))) {
    const auto add_markdown = [&](const std::string& heading, const Table& table) {
      tables.markdown +=
          fmt::format("\n{}\n\n{}", markdown_text(heading), markdown(fit(table, in_files, elsewhere)));
    };
    Table cases = case_table(section.records, published), launches = launch_table(section.records, published),
          levels = level_table(section.records);
    if (!tables.report.ends_with('[')) tables.report += ',';
    add_report(tables.report, section, cases, launches, levels);
    mark_rows(cases, section.records);
    const bool launches_alone = !launches.rows.empty() && !has_quantities(section.records);
    section.records = {};  // before the tables are copied to be fitted
    tables.terminal += "\n" + paragraph(section.heading(), printed) +
                       aligned(fit(cases, printed, elsewhere), color, printed);
    add_markdown("## " + section.heading(), cases);
    if (!launches.rows.empty()) add_markdown("### Launches", launches);
    if (launches_alone)
      tables.terminal += "\nLaunches\n" + aligned(fit(launches, printed, elsewhere), false, printed);
    if (levels.rows.empty()) continue;
    tables.terminal += "\nLevels\n" + aligned(fit(levels, printed, elsewhere), false, printed);
    add_markdown("### Levels", levels);
  }
  tables.report += "]}\n";
  return tables;
}

std::vector<std::string> write_tables(const RunTables& tables, bool json) {
  const TablePaths& to = tables.paths;
  fs::create_directories(fs::path(to.report).parent_path());
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
