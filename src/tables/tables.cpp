#include "src/tables/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "src/plan/plan.hpp"

namespace redbench {
namespace {

/// A record's axes in one place: its own fields, and those that the problem and the variant add.
using Axes = std::vector<std::pair<std::string, std::string>>;

std::string value_text(const Json& value) {
  return value.is_number_integer() ? format_size(value.get<Index>()) : axis_text(value);
}

Axes axes_of(const Record& record) {
  Axes axes;
  axes.emplace_back("n", format_size(record["n"].get<Index>()));
  for (const char* name : {"type", "operator"}) axes.emplace_back(name, record[name].get<std::string>());
  for (const char* group : {"axes", "parameters"})
    for (const auto& [name, value] : record[group].items()) axes.emplace_back(name, value_text(value));
  for (const char* name : {"device", "mode"}) axes.emplace_back(name, record[name].get<std::string>());
  return axes;
}

std::string value_of(const Axes& axes, const std::string& name) {
  for (const auto& [axis, value] : axes)
    if (axis == name) return value;
  return "-";
}

/// Names of the axes that tell records apart, and of those that all have with one value. A launch parameter
/// tells apart only where one variant takes it at several values: else each variant has its default.
struct AxisNames {
  std::vector<std::string> varying, common;
};

AxisNames axis_names(const std::vector<Record>& records, const std::vector<Axes>& axes) {
  std::vector<std::string> names;
  std::map<std::string, std::set<std::string>> values;
  std::map<std::pair<std::string, std::string>, std::set<std::string>> values_of_variant;
  for (std::size_t i = 0; i < records.size(); ++i)
    for (const auto& [name, value] : axes[i]) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
      values[name].insert(value);
      if (records[i]["parameters"].contains(name))
        values_of_variant[{records[i]["variant"], name}].insert(value);
    }
  AxisNames result;
  for (const std::string& name : names) {
    const bool is_parameter = std::any_of(values_of_variant.begin(), values_of_variant.end(),
                                          [&](const auto& entry) { return entry.first.second == name; });
    const bool swept =
        std::any_of(values_of_variant.begin(), values_of_variant.end(),
                    [&](const auto& entry) { return entry.first.second == name && entry.second.size() > 1; });
    if (is_parameter ? swept : values[name].size() > 1) result.varying.push_back(name);
    else if (!is_parameter) result.common.push_back(name);
  }
  return result;
}

double number(const Record& record, const char* field) {
  const auto found = record.find(field);
  return found != record.end() && found->is_number() ? found->get<double>() : std::nan("");
}

std::string digits(const Record& record, const char* field, double scale = 1) {
  const double value = number(record, field);
  return std::isnan(value) ? "" : significant(value / scale);
}

std::string text(const Record& record, const char* field) {
  const auto found = record.find(field);
  return found != record.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string noise(const Record& record) {
  const double percent = number(record, "noise_percent");
  return std::isnan(percent) ? "" : fmt::format("{:.2f}", percent);
}

/// Above 100 the ceiling is not one: marked, so that it is not taken for a success.
std::string ceiling(const Record& record) {
  const double percent = number(record, "percent_of_ceiling");
  return std::isnan(percent) ? "" : fmt::format("{:.1f}{}", percent, percent > 100 ? " !" : "");
}

/// "61440, 120, 1": blocks of each launch.
std::string blocks(const Record& record) {
  std::string list;
  const auto launches = record.find("launches");
  if (launches == record.end() || !launches->is_array()) return list;
  for (const Json& launch : *launches)
    list += fmt::format("{}{}", list.empty() ? "" : ", ", launch.value("blocks", Index(0)));
  return list;
}

/// The sum of counters; NaN where nothing was counted.
double sum_of(const Record& record, std::initializer_list<const char*> names) {
  const auto counters = record.find("counters");
  if (counters == record.end() || !counters->is_object()) return std::nan("");
  double sum = 0;
  for (const char* name : names) sum += double(counters->value(name, std::uint64_t(0)));
  return sum;
}

std::string counted(const Record& record, std::initializer_list<const char*> names) {
  const double sum = sum_of(record, names);
  return std::isnan(sum) ? "" : fmt::format("{:.0f}", sum);
}

/// part / whole; empty where nothing was counted, or the whole is nothing.
std::string share(double part, double whole) { return whole > 0 ? significant(part / whole) : ""; }

std::string active_lanes(const Record& record) {
  return share(sum_of(record, {"warp_basic_block_lanes"}), sum_of(record, {"warp_basic_blocks"}));
}

std::string divergent(const Record& record) {
  return share(100 * sum_of(record, {"divergent_branches"}), sum_of(record, {"branches"}));
}

/// Divergent branches that a compiler would not turn into predicated instructions, in percent of all.
std::string not_predicable(const Record& record) {
  const double others =
      sum_of(record, {"divergent_branches"}) - sum_of(record, {"predicable_divergent_branches"});
  return share(100 * others, sum_of(record, {"branches"}));
}

/// " [2]", the number of the reason among the notes under the table.
std::string note(const std::string& reason, std::vector<std::string>& notes) {
  if (reason.empty()) return {};
  const auto found = std::find(notes.begin(), notes.end(), reason);
  const auto number = found - notes.begin() + 1;
  if (found == notes.end()) notes.push_back(reason);
  return fmt::format(" [{}]", number);
}

/// Whether the result may be off by rounding at all.
bool is_rounded(const Record& record) { return number(record, "error_bound") > 0; }

/// A column of numbers, shown where any record has one.
struct Shown {
  const char* name;
  std::function<std::string(const Record&)> value;
};

const std::vector<Shown>& shown_columns() {
  static const std::vector<Shown> columns{
      {"time (µs)", [](const Record& r) { return digits(r, "time_ns", 1e3); }},
      {"± %", noise},
      {"GB/s", [](const Record& r) { return digits(r, "bandwidth_gb_per_s"); }},
      {"% of ceiling", ceiling},
      {"ns/input", [](const Record& r) { return digits(r, "ns_per_input"); }},
      {"blocks per launch", blocks},
      {"sectors",
       [](const Record& r) {
         return counted(r, {"global_load_sectors", "global_store_sectors", "global_atomic_sectors"});
       }},
      {"wavefronts",
       [](const Record& r) {
         return counted(r, {"shared_load_wavefronts", "shared_store_wavefronts", "shared_atomic_wavefronts"});
       }},
      {"conflicts",
       [](const Record& r) {
         return counted(r, {"shared_load_conflicts", "shared_store_conflicts", "shared_atomic_conflicts"});
       }},
      {"active lanes", active_lanes},
      {"divergent %", divergent},
      {"unpredicable %", not_predicable},
      {"barriers", [](const Record& r) { return counted(r, {"block_barriers", "named_barriers"}); }},
      {"error", [](const Record& r) { return is_rounded(r) ? digits(r, "error") : ""; }},
      {"bound", [](const Record& r) { return is_rounded(r) ? digits(r, "error_bound") : ""; }}};
  return columns;
}

/// Characters, not bytes: "µs" is two wide.
std::size_t width(const std::string& text) {
  return std::size_t(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t to, bool right) {
  const std::string space(to - std::min(to, width(text)), ' ');
  return right ? space + text : text + space;
}

/// Lifts axes and parameters to the top and drops the samples.
Json flat(const Record& record) {
  Json row = Json::object();
  for (const auto& [name, value] : record.items()) {
    if (name == "trace") continue;
    if (name == "axes" || name == "parameters" || (name == "counters" && value.is_object())) {
      for (const auto& [axis, at] : value.items()) row[axis] = at.is_object() ? Json(axis_text(at)) : at;
    } else if (name == "samples_ns") {
      row["samples"] = value.is_array() ? Json(value.size()) : Json();
    } else {
      row[name] = value;
    }
  }
  return row;
}

std::string csv_field(const Json& value, const std::string& name) {
  if (value.is_null()) return {};
  std::string text;
  if (name == "launches") {
    for (const Json& launch : value)
      text += (text.empty() ? "" : " ") + launch.value("blocks", Json(0)).dump();
  } else {
    text = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return quoted_field(text);
}

}  // namespace

std::string quoted_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string significant(double value) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:g}", value);
  const int magnitude = int(std::floor(std::log10(std::abs(value))));
  if (magnitude < -4) return fmt::format("{:.2e}", value);
  return fmt::format("{:.{}f}", value, std::max(0, 3 - magnitude));
}

Table make_table(const std::vector<Record>& records) {
  std::vector<Axes> axes;
  for (const Record& record : records) axes.push_back(axes_of(record));
  const AxisNames names = axis_names(records, axes);

  Table table;
  table.columns.push_back({"variant", false});
  for (const std::string& name : names.varying) {
    const bool is_number = std::all_of(axes.begin(), axes.end(), [&](const Axes& of) {
      const std::string value = value_of(of, name);
      return value == "-" || std::isdigit(static_cast<unsigned char>(value[0]));
    });
    table.columns.push_back({name, is_number});
  }
  for (const std::string& name : names.common)
    table.caption +=
        fmt::format("{}{} {}", table.caption.empty() ? "" : "  ·  ", name, value_of(axes[0], name));
  std::vector<const Shown*> shown;
  for (const Shown& column : shown_columns()) {
    if (std::all_of(records.begin(), records.end(), [&](const Record& r) { return column.value(r).empty(); }))
      continue;
    shown.push_back(&column);
    table.columns.push_back({column.name, true});
  }
  table.columns.push_back({"outcome", false});

  for (std::size_t i = 0; i < records.size(); ++i) {
    std::vector<std::string> row{records[i]["variant"].get<std::string>()};
    for (const std::string& name : names.varying) row.push_back(value_of(axes[i], name));
    for (const Shown* column : shown) row.push_back(column->value(records[i]));
    row.push_back(text(records[i], "outcome") + note(text(records[i], "reason"), table.notes));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string aligned(const Table& table, bool color) {
  std::vector<std::size_t> widths;
  for (const Table::Column& column : table.columns) widths.push_back(width(column.name));
  for (const auto& row : table.rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));

  std::string out = table.caption.empty() ? "" : table.caption + "\n";
  const auto line = [&](const std::function<std::string(std::size_t)>& cell) {
    std::string text;
    for (std::size_t i = 0; i < table.columns.size(); ++i) text += (i ? "  " : "") + cell(i);
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + '\n';
  };
  line([&](std::size_t i) { return padded(table.columns[i].name, widths[i], table.columns[i].is_number); });
  line([&](std::size_t i) { return std::string(widths[i], '-'); });
  for (const auto& row : table.rows)
    line([&](std::size_t i) {
      const std::string cell = padded(row[i], widths[i], table.columns[i].is_number);
      if (!color || i + 1 < row.size() || row[i].starts_with("passed")) return cell;
      return (row[i].starts_with("unsupported") ? "\033[33m" : "\033[31m") + cell + "\033[0m";
    });
  for (std::size_t i = 0; i < table.notes.size(); ++i) out += fmt::format("[{}] {}\n", i + 1, table.notes[i]);
  return out;
}

std::string markdown(const Table& table, const std::string& title) {
  const auto escaped = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2)
      text.insert(at, 1, '\\');
    return text;
  };
  std::string out = fmt::format("# {}\n\n", title);
  if (!table.caption.empty()) out += table.caption + "\n\n";
  for (const Table::Column& column : table.columns) out += "| " + column.name + " ";
  out += "|\n";
  for (const Table::Column& column : table.columns) out += column.is_number ? "| ---: " : "| --- ";
  out += "|\n";
  for (const auto& row : table.rows) {
    for (const std::string& cell : row) out += "| " + escaped(cell) + " ";
    out += "|\n";
  }
  for (std::size_t i = 0; i < table.notes.size(); ++i)
    out += fmt::format("{}{}. {}\n", i ? "" : "\n", i + 1, table.notes[i]);
  return out;
}

std::string comma_separated(const std::vector<Record>& records) {
  std::vector<Json> rows;
  std::vector<std::string> columns;
  for (const Record& record : records) {
    rows.push_back(flat(record));
    for (const auto& [name, value] : rows.back().items())
      if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
  }
  std::string out;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] == "clocks") continue;
    out += (i ? "," : "") + (columns[i] == "launches" ? std::string("blocks_per_launch") : columns[i]);
  }
  out += '\n';
  for (const Json& row : rows) {
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (columns[i] == "clocks") continue;
      const auto found = row.find(columns[i]);
      out += (i ? "," : "") + (found == row.end() ? std::string() : csv_field(*found, columns[i]));
    }
    out += '\n';
  }
  return out;
}

std::string json_rows(const std::vector<Record>& records) {
  Json rows = Json::array();
  for (const Record& record : records) rows.push_back(flat(record));
  return rows.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace redbench
