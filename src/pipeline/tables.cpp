#include "src/pipeline/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "src/pipeline/plan.hpp"

namespace redbench {
namespace {

/// A record's axes in one place: its own fields, then those that the problem and the variant add.
using Axes = std::vector<std::pair<std::string, std::string>>;

Axes axes_of(const Record& record) {
  Axes axes;
  axes.emplace_back("n", format_size(record["n"].get<Index>()));
  for (const char* name : {"type", "operator"}) axes.emplace_back(name, record[name].get<std::string>());
  for (const char* group : {"axes", "parameters"})
    for (const auto& [name, value] : record[group].items())
      axes.emplace_back(name, value.is_number_integer() ? format_size(value.get<Index>()) : axis_text(value));
  for (const char* name : {"device", "mode"}) axes.emplace_back(name, record[name].get<std::string>());
  return axes;
}

std::string value_of(const Axes& axes, const std::string& name) {
  for (const auto& [axis, value] : axes)
    if (axis == name) return value;
  return "-";
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

struct Shown {
  const char* name;
  bool is_number;
  bool timed;  // where nothing has a time, the column says nothing
  std::function<std::string(const Record&)> value;
};

const std::vector<Shown>& shown_columns() {
  static const std::vector<Shown> columns{
      {"time (µs)", true, true, [](const Record& r) { return digits(r, "time_ns", 1e3); }},
      {"± %", true, true, noise},
      {"GB/s", true, true, [](const Record& r) { return digits(r, "bandwidth_gb_per_s"); }},
      {"% of ceiling", true, true, ceiling},
      {"ns/input", true, true, [](const Record& r) { return digits(r, "ns_per_input"); }},
      {"blocks per launch", true, false, blocks},
      {"error", true, false, [](const Record& r) { return digits(r, "error"); }},
      {"bound", true, false, [](const Record& r) { return digits(r, "error_bound"); }},
      {"outcome", false, false, [](const Record& r) { return text(r, "outcome"); }},
      {"reason", false, false, [](const Record& r) { return text(r, "reason"); }}};
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
    if (name == "axes" || name == "parameters") {
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
    for (const Json& launch : value) text += (text.empty() ? "" : " ") + launch.value("blocks", Json(0)).dump();
  } else {
    text = value.is_string() ? value.get<std::string>() : value.dump();
  }
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

std::string significant(double value) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:g}", value);
  const int magnitude = int(std::floor(std::log10(std::abs(value))));
  if (magnitude < -4) return fmt::format("{:.2e}", value);
  return fmt::format("{:.{}f}", value, std::max(0, 3 - magnitude));
}

Table make_table(const std::vector<Record>& records) {
  std::vector<Axes> axes;
  std::vector<std::string> names;
  for (const Record& record : records) {
    axes.push_back(axes_of(record));
    for (const auto& [name, value] : axes.back())
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }

  Table table;
  table.columns.push_back({"variant", false});
  std::vector<std::string> varying;
  for (const std::string& name : names) {
    std::set<std::string> values;
    for (const Axes& of : axes) values.insert(value_of(of, name));
    if (values.size() > 1) {
      varying.push_back(name);
      const bool is_number = std::all_of(values.begin(), values.end(),
                                         [](const std::string& v) { return v == "-" || std::isdigit(v[0]); });
      table.columns.push_back({name, is_number});
    } else {
      table.caption += fmt::format("{}{} {}", table.caption.empty() ? "" : "  ·  ", name, *values.begin());
    }
  }
  const bool any_time = std::any_of(records.begin(), records.end(),
                                    [](const Record& r) { return !std::isnan(number(r, "time_ns")); });
  std::vector<const Shown*> shown;
  for (const Shown& column : shown_columns()) {
    const bool says_something = std::any_of(records.begin(), records.end(),
                                            [&](const Record& r) { return !column.value(r).empty(); });
    if (!says_something || (column.timed && !any_time)) continue;
    shown.push_back(&column);
    table.columns.push_back({column.name, column.is_number});
  }

  for (std::size_t i = 0; i < records.size(); ++i) {
    std::vector<std::string> row{records[i]["variant"].get<std::string>()};
    for (const std::string& name : varying) row.push_back(value_of(axes[i], name));
    for (const Shown* column : shown) row.push_back(column->value(records[i]));
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
      if (!color || table.columns[i].name != "outcome" || row[i] == "passed") return cell;
      return (row[i] == "unsupported" ? "\033[33m" : "\033[31m") + cell + "\033[0m";
    });
  return out;
}

std::string markdown(const Table& table, const std::string& title) {
  const auto escaped = [](std::string text) {
    for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
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
