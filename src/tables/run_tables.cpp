#include "src/tables/run_tables.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "src/config/axes.hpp"
#include "src/error.hpp"
#include "src/inputs/problem.hpp"
#include "src/json/parse.hpp"
#include "src/records/fields.hpp"
#include "src/records/output_file.hpp"
#include "src/records/output_folder.hpp"
#include "src/records/provenance.hpp"
#include "src/tables/case_table.hpp"
#include "src/tables/marks.hpp"
#include "src/tables/text.hpp"
#include "src/text/terminal.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

constexpr const char* elsewhere =
    "The CSV file has all that was measured, --width 0 shows these columns, too.";

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

/// An experiment, resolved as in run.json. Axes that it does not list have their defaults.
class Asked {
 public:
  explicit Asked(const Json& experiment)
      : problem_(part_of(experiment, "problem")),
        variants_(values_of(part_of(experiment, "variants"))),
        is_tuned_(values_of(part_of(experiment, "parameters")).contains("tuned")) {
    if (const Json axes = part_of(experiment, "axes"); axes.is_object())
      for (const auto& [name, values] : axes.items()) axes_[name] = values_of(values);
  }

  /// Whether it has the case of the record.
  bool has(const Record& record) const {
    const std::string variant = record["variant"];
    if (record["problem"] != problem_ || !variants_.contains(short_variant(record))) return false;
    for (const char* name : {"n", "type", "operator"})
      if (!fits(name, record[name], nullptr)) return false;
    const std::string problem = record["problem"];
    for (const auto& [name, value] : record["axes"].items())
      if (!fits(name, value, default_of_axis(problem, name))) return false;
    for (const auto& [name, fallback] : unsaid_axes(problem))
      if (!record["axes"].contains(name) && !fits(name, fallback, fallback)) return false;
    if (part_of(record, "tuned") == true) return is_tuned_;
    for (const auto& [name, value] : record["parameters"].items())
      if (!fits(name, value, default_of_parameter(variant, name))) return false;
    return true;
  }

 private:
  static std::set<Json> values_of(const Json& list) { return std::set<Json>(list.begin(), list.end()); }

  bool fits(const std::string& name, const Json& value, const Json& fallback) const {
    const auto listed = axes_.find(name);
    return listed != axes_.end() ? listed->second.contains(value) : fallback.is_null() || fallback == value;
  }

  Json problem_;
  std::set<Json> variants_;
  bool is_tuned_;
  std::map<std::string, std::set<Json>> axes_;
};

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

/// Fields that are an object, each of whose members is a column.
bool has_columns(const Field& field) {
  return field.name != "launches" && field.name != "samples_ns" &&
         (field.kind == FieldKind::object || !field.fields.empty());
}

/// What the columns follow from.
struct RunFacts {
  std::map<std::string, std::vector<std::string>> members;  // of the objects of a field, as they appear
  std::vector<std::string> hardware;                        // "NVIDIA H200"; a modelled GPU by its device
  bool counted = false, traced = false;                     // any of the records

  explicit RunFacts(const PackedRecords& records) {
    records.for_each([&](const Record& record) { add(record); });
  }

  void add(const Record& record) {
    const auto add_new = [](std::vector<std::string>& names, const std::string& name) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    };
    for (const Field& field : case_fields())
      if (has_columns(field))
        for (const auto& [name, value] : record[field.name].items()) add_new(members[field.name], name);
    const std::string device = record["device"];
    add_new(hardware, device.starts_with("simt") ? device : record["hardware"].get<std::string>());
    counted |= record["counters"].is_object();
    const auto trace = record.find("trace");
    traced |= trace != record.end() && trace->is_array();
  }
};

/// A column for each of these members of a field, called by its name after `prefix`.
void add_members(std::vector<Column>& columns, const std::vector<std::string>& names,
                 const std::string& field, const std::string& prefix) {
  for (const std::string& name : names)
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
    if (number.part != PublishedPart::whole) continue;
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

std::vector<Column> columns_of(const RunFacts& facts, const std::vector<PublishedNumber>& published) {
  const auto members_of = [&](const Field& field) {
    const auto found = facts.members.find(field.name);
    return found == facts.members.end() ? std::vector<std::string>() : found->second;
  };
  std::vector<Column> columns;
  for (const Field& field : case_fields()) {
    if (field.name == "launches") add_launches(columns, facts.counted);
    else if (field.name == "samples_ns")
      columns.push_back({"samples", [](const Record& record) {
                           if (record["samples_ns"].is_null()) return Json();
                           std::size_t count = 0;
                           for (const Json& fork : record["samples_ns"])
                             count += fork.is_array() ? fork.size() : fork.get<std::size_t>();
                           return Json(count);
                         }});
    else if (field.name == "axes" || field.name == "parameters" || !field.fields.empty())
      add_members(columns, members_of(field), field.name, "");
    else if (field.kind == FieldKind::object)
      add_members(columns, members_of(field), field.name, field.name + "_");
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

void give_csv(const PackedRecords& records, const std::vector<Column>& columns, const TakeText& to) {
  const auto line_of_cells = [&](const auto& cell) {
    std::string line;
    for (const Column& column : columns)
      line += (&column == &columns[0] ? "" : ",") + quoted_field(cell(column));
    return line + '\n';
  };
  to(line_of_cells([](const Column& column) { return column.name; }));
  const auto line_of_record = [&](const Record& record) {
    return line_of_cells([&](const Column& column) { return field_text(column.value(record)); });
  };
  records.for_each(line_of_record, to);
}

Json json_rows(const PackedRecords& records, const std::vector<Column>& columns) {
  Json rows = Json::array();
  const auto row_of = [&](const Record& record) {
    Json row = Json::object();
    for (const Column& column : columns) row[column.name] = column.value(record);
    return row;
  };
  records.for_each(row_of, [&](Json row) { rows.push_back(std::move(row)); });
  return rows;
}

std::string caption_of(const StoredRun& run, const RunFacts& facts) {
  std::vector<std::string> parts{fmt::format("{}", fmt::join(facts.hardware, ", ")),
                                 run.date(),
                                 run.name(),
                                 run.machines(),
                                 run.interruption(),
                                 run.differences()};
  std::erase(parts, "");
  return fmt::format("{}", fmt::join(parts, "  ·  "));
}

/// As one value, the rows of a table would take ten times the memory of their text.
void give_json(const Table& table, const TakeText& to) {
  const auto give_list = [&](const auto& entries, const auto& json_of) {
    for (const auto& entry : entries) {
      if (&entry != &entries[0]) to(",");
      to(line_of(json_of(entry)));
    }
  };
  to(R"({"columns":[)");
  give_list(table.columns,
            [](const Table::Column& column) { return Json::array({column.name, column.is_number}); });
  to(R"(],"rows":[)");
  give_list(table.rows, [](const std::vector<std::string>& row) { return Json(row); });
  to("]}");
}

/// Ends a section of the report: of each record which it is, and its notes.
void give_records(const PackedRecords& section, const TakeText& to) {
  std::string records, notes;
  const auto texts_of = [](const Record& record) {
    return std::pair(line_of(Json::array({record["key"], record["mode"], record["device"]})),
                     line_of(disturbances(record)));
  };
  section.for_each(texts_of, [&](const auto& texts) {
    (records += records.empty() ? "" : ",") += texts.first;
    (notes += notes.empty() ? "" : ",") += texts.second;
  });
  to(R"(,"records":[)" + records + R"(],"notes":[)" + notes + "]}");
}

/// The tables of a section, of which one at a time is in memory.
void give_section(const Section& section, const std::vector<PublishedNumber>& published, TableWidth width,
                  const TableTakers& to) {
  const std::size_t printed = std::size_t(width.printed()), in_files = std::size_t(width.in_files);
  const auto give_report = [&](const std::string& before, const Table& table) {
    if (!to.report) return;
    to.report(before);
    give_json(table, to.report);
  };
  const auto give_markdown = [&](const std::string& heading, Table table) {
    if (to.markdown)
      to.markdown(fmt::format("\n{}\n\n", markdown_text(heading)) +
                  markdown(fit(std::move(table), in_files, elsewhere)));
  };
  const auto give_terminal = [&](const std::string& heading, const Table& table, bool color) {
    if (to.terminal) to.terminal("\n" + heading + aligned(fit(table, printed, elsewhere), color, printed));
  };
  const TableRecords records(section.records);
  Table table = case_table(records, published);
  give_report(R"({"heading":)" + line_of(section.heading()) + R"(,"caption":)" + line_of(table.caption) +
                  R"(,"cases":)",
              table);
  mark_rows(table, section.records);
  give_terminal(paragraph(section.heading(), printed), table, takes_control_bytes(STDOUT_FILENO));
  give_markdown("## " + section.heading(), std::exchange(table, {}));
  table = launch_table(records, published);
  give_report(R"(,"launches":)", table);
  if (!table.rows.empty()) {
    table = with_ranges(std::move(table));
    // Where there is nothing else.
    if (!records.timed && !records.counted) give_terminal("Launches\n", table, false);
    give_markdown("### Launches", std::exchange(table, {}));
  }
  table = level_table(records, published);
  give_report(R"(,"levels":)", table);
  if (!table.rows.empty()) {
    give_terminal("Levels\n", table, false);
    give_markdown("### Levels", std::move(table));
  }
  if (to.report) give_records(section.records, to.report);
}

}  // namespace

std::string Section::heading() const { return title.empty() ? device : title + ": " + device; }

std::vector<Section> sections_of(const PackedRun& run) {
  const Json experiments = part_of(part_of(run.run.facts, "config"), "experiments");
  std::vector<Asked> asked;
  std::vector<Json> titles;
  if (experiments.is_array())
    for (const Json& experiment : experiments) {
      asked.emplace_back(experiment);
      titles.push_back(part_of(experiment, "title"));
    }
  titles.push_back(asked.empty() ? Json() : Json("Cases of no experiment of this config"));
  using Place = std::tuple<std::size_t, bool, std::string>;  // experiment, whether on the host, device
  const auto place_of = [&](const Record& record) {
    const auto found = std::ranges::find_if(asked, [&](const Asked& each) { return each.has(record); });
    return Place(std::size_t(found - asked.begin()), record["device"] == "host", device_text(record));
  };
  std::map<Place, std::vector<std::size_t>> places;
  std::size_t i = 0;
  run.records.for_each(place_of, [&](const Place& place) { places[place].push_back(i++); });
  std::vector<Section> sections;
  for (const auto& [place, members] : places) {
    const Json& title = titles[std::get<0>(place)];
    sections.push_back(
        {title.is_string() ? title.get<std::string>() : "", std::get<2>(place), run.records.chosen(members)});
  }
  return sections;
}

void make_tables(const PackedRun& run, const std::vector<PublishedNumber>& published, TableWidth width,
                 const TableTakers& to) {
  const StoredRun& about = run.run;
  const RunFacts facts(run.records);
  if (to.levels_csv && facts.traced)
    if (const Table levels = level_table(TableRecords(run.records), published); !levels.rows.empty())
      to.levels_csv(comma_separated(levels));
  const std::vector<Column> columns = columns_of(facts, published);
  if (to.csv) give_csv(run.records, columns, to.csv);
  if (to.json) to.json(indented(json_rows(run.records, columns)));
  const std::string title = about.title(), caption = caption_of(about, facts);
  if (to.markdown) to.markdown(fmt::format("# {}\n\n{}\n", markdown_text(title), markdown_text(caption)));
  if (const std::size_t printed = std::size_t(width.printed()); to.terminal)
    to.terminal(paragraph(title, printed) + paragraph(caption, printed));
  if (to.report)
    to.report(fmt::format(R"({{"schema":1,"date":{},"differences":{},"interruption":{},"sections":[)",
                          line_of(about.date()), line_of(about.differences()),
                          line_of(about.interruption())));
  const std::vector<Section> sections = sections_of(run);
  for (const Section& section : sections) {
    if (to.report && &section != &sections[0]) to.report(",");
    give_section(section, published, width, to);
  }
  if (to.report) to.report("]}\n");
}

RunTables make_tables(const PackedRun& run, const std::vector<PublishedNumber>& published, TableWidth width,
                      bool json) {
  RunTables tables;
  const auto into = [](std::string& all) { return [&all](std::string_view text) { all += text; }; };
  make_tables(run, published, width,
              {into(tables.levels_csv), into(tables.csv), json ? into(tables.json) : TakeText(),
               into(tables.report), into(tables.markdown), into(tables.terminal)});
  return tables;
}

std::vector<std::string> write_tables(const PackedRun& run, const std::vector<PublishedNumber>& published,
                                      TableWidth width, bool json) {
  const TablePaths paths = table_paths(run.run.path, run.run.name());
  if (json && paths.json == paths.report)
    throw UsageError(paths.json +
                     ": --json would replace the report that plots are made from: the run's name, `" +
                     run.run.name() + "`, is the report's");
  fs::create_directories(fs::path(paths.report).parent_path());
  std::optional<NewFile> levels, cases, objects;
  NewFile markdown(paths.markdown), report(paths.report);
  TableTakers to;
  to.levels_csv = [&](std::string_view text) { levels.emplace(paths.csv).add(text); };
  to.csv = [&](std::string_view text) {
    if (!cases) cases.emplace(levels ? paths.cases_csv : paths.csv);
    cases->add(text);
  };
  if (json) to.json = [&](std::string_view text) { objects.emplace(paths.json).add(text); };
  to.report = [&](std::string_view text) { report.add(text); };
  to.markdown = [&](std::string_view text) { markdown.add(text); };
  make_tables(run, published, width, to);
  std::vector<std::string> written;
  const auto finish = [&](NewFile& file) {
    file.finish();
    written.push_back(file.path());
  };
  for (std::optional<NewFile>* file : {&levels, &cases})
    if (*file) finish(**file);
  finish(markdown);
  if (objects) finish(*objects);
  finish(report);
  return written;
}

}  // namespace redbench
