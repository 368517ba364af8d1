#include "src/config/plots.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "src/config/rows.hpp"
#include "src/own_files.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

class PlotReader {
 public:
  PlotReader(const std::vector<const Problem*>& problems, const Columns& columns, const std::string& folder)
      : rows_(problems, columns, folder) {}

  Json read(const Node& node) {
    check_name(node["name"]);
    rows_.check(node["x"].text(), node["x"]);
    const std::vector<Node> series = node.has("series") ? node["series"].list() : std::vector<Node>();
    for (const Node& entry : series) rows_.check(entry.text(), entry);
    if (node.has("groups"))
      check_groups(node["groups"], !series.empty() && series.front().text() == "variant");
    if (node.has("published")) check_published(node["published"]);
    Json plot = node.value();
    if (node.has("where")) plot["where"] = rows_.read_where(node["where"]);
    return plot;
  }

 private:
  void check_name(const Node& node) {
    const auto [place, is_new] = names_.try_emplace(node.text(), node.path());
    if (!is_new) node.fail(fmt::format("{} has this name, too", place->second));
  }

  /// A group's members are names of lines, which begin with the value of the first of `series`.
  void check_groups(const Node& groups, bool of_variants) const {
    std::map<std::string, std::string> seen;
    for (const Node& group : groups.list())
      for (const Node& member : group.list()) {
        const auto [place, is_new] = seen.try_emplace(member.text(), member.path());
        if (!is_new) member.fail(fmt::format("`{}` is in a group already: {}", member.text(), place->second));
        const std::string first = member.text().substr(0, member.text().find(", "));
        if (of_variants) rows_.check_variant(first, member);
      }
  }

  /// Published numbers come with redbench, or are in the working directory.
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
          if (other.is_regular_file(error))
            others.push_back((path.parent_path() / other.path().filename()).string());
      file.fail(fmt::format("there is no file `{}`{}", path.string(), nearest_match(path.string(), others)));
    }
    if (!node.has("where")) return;
    std::string header;
    std::ifstream stream(*found);
    std::getline(stream, header);
    const Node where = node["where"];
    where.expect_object(split_at_commas(header.substr(0, header.find('\r'))));
    for (const auto& [column, value] : where.value().items())
      for (const Node& entry : where[column].one_or_more()) check_row_value(entry);
  }

  RowColumns rows_;
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
