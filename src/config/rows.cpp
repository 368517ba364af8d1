#include "src/config/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>

#include "src/config/axes.hpp"
#include "src/error.hpp"
#include "src/own_files.hpp"
#include "src/registry.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// Of inputs that are read from a file, {"file": "x.npy"}: what each does is the axis' matter.
constexpr std::array keys_of_files{"file", "owners", "repeat"};

/// Throws UsageError, with the place, where `where` takes no such value.
void check_row_value(const Node& entry) {
  const Json& value = entry.value();
  for (const char* key : keys_of_files)
    if (value.is_object() && value.size() == 1 && value.contains(key)) return void(entry[key].text());
  if (value.is_structured() || value.is_null())
    entry.expected("a string or a number, or a file as {\"file\": \"x.npy\"}");
}

}  // namespace

Shape rows_where() {
  Json files = Json::object();
  for (const char* key : keys_of_files) files[key] = {{"type", "string"}};
  const Json value{{"anyOf",
                    {{{"type", {"string", "number", "boolean"}}},
                     {{"type", "object"},
                      {"minProperties", 1},
                      {"maxProperties", 1},
                      {"additionalProperties", false},
                      {"properties", files}}}}};
  return named("where", open_object({}, one_or_more(described("", value)).schema));
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
  add(columns.all);
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

namespace {

/// A group's members are names of lines, which begin with the value of the first of `series`.
void check_groups(const Node& groups, bool of_variants, const RowColumns& rows) {
  std::map<std::string, std::string> seen;
  for (const Node& group : groups.list())
    for (const Node& member : group.list()) {
      const auto [place, is_new] = seen.try_emplace(member.text(), member.path());
      if (!is_new) member.fail(fmt::format("`{}` is in a group already: {}", member.text(), place->second));
      if (of_variants) rows.check_variant(member.text().substr(0, member.text().find(", ")), member);
    }
}

/// Published numbers come with redbench, or are in the working directory. Sizes of `where` become numbers.
Json read_published(const Node& node, const RowColumns& rows) {
  const Node file = node["file"];
  const fs::path path = file.text();
  const std::vector<fs::path> places = places_of(path);
  std::error_code error;  // a name too long is that of no file
  const auto found =
      std::ranges::find_if(places, [&](const fs::path& p) { return fs::is_regular_file(p, error); });
  if (found == places.end()) {
    std::vector<std::string> others;
    for (const fs::path& place : places)
      for (const fs::directory_entry& other : fs::directory_iterator(place.parent_path(), error))
        if (other.is_regular_file(error))
          others.push_back((path.parent_path() / other.path().filename()).string());
    file.fail(fmt::format("there is no file `{}`{}", path.string(), nearest_match(path.string(), others)));
  }
  Json published = node.value();
  if (!node.has("where")) return published;
  std::string header;
  std::ifstream stream(*found);
  std::getline(stream, header);
  const Node where = node["where"];
  where.expect_object(split_at_commas(header.substr(0, header.find('\r'))));
  for (auto& [column, value] : published["where"].items()) value = rows.read_values(where[column], column);
  return published;
}

Json read_plot(const Node& node, const RowColumns& rows) {
  rows.check(node["x"].text(), node["x"]);
  const std::vector<Node> series = node.has("series") ? node["series"].list() : std::vector<Node>();
  for (const Node& entry : series) rows.check(entry.text(), entry);
  if (node.has("groups"))
    check_groups(node["groups"], !series.empty() && series.front().text() == "variant", rows);
  Json plot = node.value();
  if (node.has("published")) plot["published"] = read_published(node["published"], rows);
  if (node.has("where")) plot["where"] = rows.read_where(node["where"]);
  return plot;
}

}  // namespace

Json read_plots(const Node& plots, const std::vector<const Problem*>& problems, const Columns& columns,
                const std::string& folder) {
  const RowColumns rows(problems, columns, folder);
  std::map<std::string, std::string> places;  // of plots read, by their names
  Json read = Json::array();
  for (const Node& plot : plots.list()) {
    const Node name = plot["name"];
    const auto [place, is_new] = places.try_emplace(name.text(), name.path());
    if (!is_new) name.fail(fmt::format("{} has this name, too", place->second));
    read.push_back(read_plot(plot, rows));
  }
  return read;
}

}  // namespace redbench
