#include "src/config/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "src/config/axes.hpp"
#include "src/error.hpp"
#include "src/own_files.hpp"
#include "src/registry.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

class PlotReader {
 public:
  PlotReader(const std::vector<const Problem*>& problems, const Columns& columns, std::string folder)
      : problems_(problems), folder_(std::move(folder)) {
    const auto add = [&](const std::vector<std::string>& names) {
      for (const std::string& name : names)
        if (!contains(columns_, name)) columns_.push_back(name);
    };
    for (const Problem* problem : problems) {
      add(axis_names(*problem, short_variant_names(problem->name)));
      for (const std::string& name : short_variant_names(problem->name)) variants_.push_back(name);
    }
    add(columns.quantities);
    add(columns.others);
  }

  Json read(const Node& node) {
    check_name(node["name"]);
    column(node["x"].text(), node["x"]);
    const std::vector<Node> series = node.has("series") ? node["series"].list() : std::vector<Node>();
    for (const Node& entry : series) column(entry.text(), entry);
    if (node.has("groups"))
      check_groups(node["groups"], !series.empty() && series.front().text() == "variant");
    if (node.has("published")) check_published(node["published"]);
    Json plot = node.value();
    if (node.has("where"))
      for (auto& [name, value] : plot["where"].items()) {
        const Node entry = node["where"][name];
        column(name, entry);
        value = with_found_files(read_values(entry, name), folder_);
      }
    return plot;
  }

 private:
  void check_name(const Node& node) {
    const auto [place, is_new] = names_.try_emplace(node.text(), node.path());
    if (!is_new) node.fail(fmt::format("{} has this name, too", place->second));
  }

  void column(const std::string& name, const Node& node) const {
    if (!contains(columns_, name))
      node.fail(fmt::format("no record has a column `{}`{}", name, nearest_match(name, columns_)));
  }

  /// Names of lines: the values of the first of their columns stand first.
  void check_groups(const Node& groups, bool of_variants) const {
    std::map<std::string, std::string> seen;
    for (const Node& group : groups.list())
      for (const Node& member : group.list()) {
        const auto [place, is_new] = seen.try_emplace(member.text(), member.path());
        if (!is_new) member.fail(fmt::format("`{}` is in a group already: {}", member.text(), place->second));
        const std::string first = member.text().substr(0, member.text().find(", "));
        if (of_variants && !contains(variants_, first)) unknown_variant(member, first);
      }
  }

  [[noreturn]] void unknown_variant(const Node& node, const std::string& name) const {
    node.fail(fmt::format("there is no variant `{}`{}", name, nearest_match(name, variants_)));
  }

  /// One value, or the list of those that are meant.
  Json read_values(const Node& node, const std::string& name) const {
    Json values = Json::array();
    for (const Node& entry : node.one_or_more())
      for (Json& value : values_of(entry, name)) values.push_back(std::move(value));
    return !node.value().is_array() && values.size() == 1 ? values[0] : values;
  }

  std::vector<Json> values_of(const Node& entry, const std::string& name) const {
    if (name == "variant") {
      if (!contains(variants_, entry.text()) && !find_variant(entry.text()))
        unknown_variant(entry, entry.text());
    } else if (name == "mode") {
      entry.choice({mode_names.begin(), mode_names.end()});
    } else if (!entry.value().is_object()) {  // a file is checked where an axis has it
      return values_of_axis(entry, name);
    }
    return {entry.value()};
  }

  /// The axis of any problem that takes the value; other columns take any.
  std::vector<Json> values_of_axis(const Node& entry, const std::string& name) const {
    std::string refusal;
    for (const Problem* problem : problems_) {
      const std::vector<std::string> variants = short_variant_names(problem->name);
      if (!contains(axis_names(*problem, variants), name)) continue;
      try {
        return axis_values(entry, name, *problem, variants);
      } catch (const UsageError& error) {
        refusal = error.what();
      }
    }
    if (!refusal.empty()) throw UsageError(refusal);
    if (entry.value().is_structured()) entry.expected("a string or a number");
    return {entry.value()};
  }

  /// Published numbers come with redbench; else they are in the working directory.
  void check_published(const Node& node) const {
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
          others.push_back((path.parent_path() / other.path().filename()).string());
      file.fail(fmt::format("there is no file `{}`{}", path.string(), nearest_match(path.string(), others)));
    }
    if (!node.has("where")) return;
    std::ifstream stream(*found);
    std::vector<std::string> columns(1);
    for (char c; stream.get(c) && c != '\n' && c != '\r';) {
      if (c == ',') columns.emplace_back();
      else columns.back() += c;
    }
    node["where"].expect_object(columns);
  }

  const std::vector<const Problem*>& problems_;
  std::string folder_;
  std::vector<std::string> columns_, variants_;
  std::map<std::string, std::string> names_;  // of plots read, with their places
};

}  // namespace

Json read_plots(const Node& plots, const std::vector<const Problem*>& problems, const Columns& columns,
                const std::string& folder) {
  PlotReader reader(problems, columns, folder);
  Json read = Json::array();
  for (const Node& plot : plots.list()) read.push_back(reader.read(plot));
  return read;
}

}  // namespace redbench
