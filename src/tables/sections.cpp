#include "src/tables/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "src/config/axes.hpp"
#include "src/inputs/problem.hpp"
#include "src/json/parse.hpp"
#include "src/tables/record_axes.hpp"

namespace redbench {
namespace {

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
  for (const auto& [name, value] : record["parameters"].items())
    if (!fits(name, value, default_of_parameter(variant, name))) return false;
  return true;
}

std::string device_text(const Record& record) {
  const std::string device = record["device"], hardware = record["hardware"];
  return device.starts_with("simt") ? device : fmt::format("{} ({})", hardware, device);
}

}  // namespace

std::string Section::heading() const { return title.empty() ? device : title + ": " + device; }

std::vector<Section> sections_of(const StoredRun& run) {
  const auto place = "/config/experiments"_json_pointer;
  const Json experiments = run.facts.contains(place) ? run.facts[place] : Json::array();
  std::map<std::tuple<std::size_t, bool, std::string>, Section> sections;
  for (const Record& record : run.records) {
    const auto found = std::ranges::find_if(
        experiments, [&](const Json& experiment) { return asks_for(experiment, record); });
    const Json title = found != experiments.end() ? part_of(*found, "title")
                       : experiments.empty()      ? Json()
                                                  : Json("Cases of no experiment of this config");
    const bool on_host = record["device"] == "host";
    Section& section = sections[{std::size_t(found - experiments.begin()), on_host, device_text(record)}];
    section.title = title.is_string() ? title.get<std::string>() : "";
    section.device = device_text(record);
    section.records.push_back(record);
  }
  std::vector<Section> in_order;
  for (auto& [place, section] : sections) in_order.push_back(std::move(section));
  return in_order;
}

}  // namespace redbench
