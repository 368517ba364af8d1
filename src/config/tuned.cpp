#include "src/config/tuned.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <limits>
#include <set>
#include <tuple>

#include "src/config/shape.hpp"
#include "src/error.hpp"
#include "src/inputs/input_file.hpp"
#include "src/json/parse.hpp"
#include "src/json/strict.hpp"
#include "src/own_files.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

constexpr Index most = std::numeric_limits<Index>::max();
constexpr int schema = 1;

Shape any_object() { return open_object({}, Json::object()); }

const Rows<TunedPoint>& point_rows() {
  static const Rows<TunedPoint> rows{
      needed(row("variant", &TunedPoint::variant, text(), "with its problem")),
      needed(row("type", &TunedPoint::type, text(), "of the inputs")),
      needed(row("operator", &TunedPoint::op, text(), "what reduces them")),
      needed(row("n", &TunedPoint::n, whole(0, most), "inputs")),
      needed(row("m", &TunedPoint::m, whole(0, most), "results")),
      row("axes", &TunedPoint::axes, any_object(), "of the problem"),
      needed(row("parameters", &TunedPoint::parameters, open_object({}, whole(0, most).schema), "by name")),
      row("found", &TunedPoint::found, any_object(), "how")};
  return rows;
}

const Shape& file_shape() {
  static const Shape shape = object({needed({"schema", whole(schema, schema), "of this file"}),
                                     needed({"hardware", text(), "the device's name"}),
                                     needed({"points", list_of(object(keys_of(point_rows()))), "by variant"}),
                                     {"path", text(), "of the file, in a run's config"},
                                     {"sha256", text(), "of the file, in a run's config"}});
  return shape;
}

double steps_apart(Index a, Index b) { return std::abs(std::log2(double(a) + 1) - std::log2(double(b) + 1)); }

}  // namespace

std::string key_of(const TunedPoint& point) {
  return Json{point.variant, point.type, point.op, point.n, point.m, point.axes}.dump();
}

std::vector<std::string> axes_apart(const TunedPoint& point, const Json& axes) {
  std::vector<std::string> names;
  for (const auto& [name, value] : point.axes.items())
    if (!value.is_number() && axes.contains(name) && axes[name] != value) names.push_back(name);
  return names;
}

const TunedPoint* Tuned::nearest(const TunedPoint& asked) const {
  const TunedPoint* nearest = nullptr;
  std::tuple<std::size_t, double> least;
  for (const TunedPoint& point : points) {
    if (std::tie(point.variant, point.type, point.op) != std::tie(asked.variant, asked.type, asked.op))
      continue;
    const std::tuple apart(axes_apart(point, asked.axes).size(),
                           steps_apart(point.n, asked.n) + steps_apart(point.m, asked.m));
    if (nearest && apart >= least) continue;
    nearest = &point;
    least = apart;
  }
  return nearest;
}

Tuned deserialize_tuned(const Json& json, const std::string& place) {
  const Origins origins{place, {}};
  const Node root(json, "$", origins);
  file_shape().check(root);
  Tuned tuned{json.value("path", ""), json["hardware"], json.value("sha256", ""), {}};
  std::set<std::string> known;
  for (const Node& point : root["points"].list()) {
    const Node parameters = point["parameters"];
    for (const auto& [name, value] : parameters.value().items()) whole(0, most).check(parameters[name]);
    tuned.points.push_back(read_members(point_rows(), point));
    if (!known.insert(key_of(tuned.points.back())).second) point.fail("the point is there twice");
  }
  return tuned;
}

Json to_json(const Tuned& tuned) {
  Json json{{"schema", schema}, {"hardware", tuned.hardware}, {"points", Json::array()}};
  for (const TunedPoint& point : tuned.points) json["points"].push_back(write_members(point_rows(), point));
  if (!tuned.path.empty()) {
    json["path"] = tuned.path;
    json["sha256"] = tuned.sha256;
  }
  return json;
}

std::string text_of(const Tuned& tuned) { return indented(to_json({{}, tuned.hardware, {}, tuned.points})); }

Tuned read_tuned(const std::string& path) {
  Tuned tuned = deserialize_tuned(read_json_file(path, "a tuned file"), path);
  tuned.path = path;
  tuned.sha256 = sha256_of_file(path);
  return tuned;
}

std::optional<Tuned> find_tuned(const std::string& asked, const Device& device) {
  std::vector<fs::path> places{asked};
  if (asked.empty()) {
    places = places_of(fs::path("results") / device.slug() / "tuned.json");
    places.insert(places.begin(), fs::path("tuned") / (device.slug() + ".json"));
  }
  for (const fs::path& place : places) {
    if (std::error_code error; asked.empty() && !fs::exists(place, error)) continue;
    Tuned tuned = read_tuned(place.string());
    if (tuned.hardware == device.facts().name) return tuned;
    throw UsageError(
        fmt::format("{}: is of {}; this is {}", place.string(), tuned.hardware, device.facts().name));
  }
  return std::nullopt;
}

}  // namespace redbench
