#include "src/config/rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/config/axes.hpp"
#include "src/error.hpp"
#include "src/registry.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

Shape rows_where() {
  const Json value{
      {"anyOf",
       {{{"type", {"string", "number", "boolean"}}},
        {{"type", "object"}, {"required", {"file"}}, {"properties", {{"file", {{"type", "string"}}}}}}}}};
  return named("where", open_object({}, one_or_more(described("", value)).schema));
}

void check_row_value(const Node& entry) {
  const Json& value = entry.value();
  if (value.is_object() && value.contains("file")) entry["file"].text();
  else if (value.is_structured() || value.is_null())
    entry.expected("a string or a number, or a file as {\"file\": \"x.npy\"}");
}

RowColumns::RowColumns(const std::vector<const Problem*>& problems, const Columns& columns,
                       std::string folder)
    : problems_(problems), folder_(std::move(folder)) {
  const auto add = [&](const std::vector<std::string>& names) {
    for (const std::string& name : names)
      if (!contains(names_, name)) names_.push_back(name);
  };
  for (const Problem* problem : problems) {
    add(axis_names(*problem, short_variant_names(problem->name)));
    for (const std::string& name : short_variant_names(problem->name)) variants_.push_back(name);
  }
  add(columns.quantities);
  add(columns.others);
}

void RowColumns::check(const std::string& column, const Node& node) const {
  if (!contains(names_, column))
    node.fail(fmt::format("no record has a column `{}`{}", column, nearest_match(column, names_)));
}

Json RowColumns::read_where(const Node& where) const {
  Json read = where.value();
  for (auto& [column, value] : read.items()) {
    const Node entry = where[column];
    check(column, entry);
    value = with_found_files(read_values(entry, column), folder_);
  }
  return read;
}

Json RowColumns::read_values(const Node& node, const std::string& column) const {
  Json values = Json::array();
  for (const Node& entry : node.one_or_more())
    for (Json& value : values_of(entry, column)) values.push_back(std::move(value));
  return !node.value().is_array() && values.size() == 1 ? values[0] : values;
}

void RowColumns::check_variant(const std::string& name, const Node& node) const {
  if (!contains(variants_, name))
    node.fail(fmt::format("there is no variant `{}`{}", name, nearest_match(name, variants_)));
}

std::vector<Json> RowColumns::values_of(const Node& entry, const std::string& column) const {
  check_row_value(entry);
  if (column == "variant") {
    if (!find_variant(entry.text())) check_variant(entry.text(), entry);
  } else if (column == "mode") {
    entry.choice({mode_names.begin(), mode_names.end()});
  } else if (!entry.value().is_object()) {  // a file is checked where an axis has it
    return values_of_axis(entry, column);
  }
  return {entry.value()};
}

/// The axis of any problem that takes the value; other columns take any.
std::vector<Json> RowColumns::values_of_axis(const Node& entry, const std::string& column) const {
  std::string refusal;
  for (const Problem* problem : problems_) {
    const std::vector<std::string> variants = short_variant_names(problem->name);
    if (!contains(axis_names(*problem, variants), column)) continue;
    try {
      return axis_values(entry, column, *problem, variants);
    } catch (const UsageError& error) {
      refusal = error.what();
    }
  }
  if (!refusal.empty()) throw UsageError(refusal);
  return {entry.value()};
}

}  // namespace redbench
