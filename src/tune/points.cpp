#include "src/tune/points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <set>

#include "src/config/axes.hpp"
#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/plan/plan.hpp"
#include "src/records/columns.hpp"
#include "src/records/output_file.hpp"
#include "src/tune/candidates.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// The config of the subjects: itself, or one of the variants over 2^26 inputs.
std::string config_of(const std::vector<std::string>& subjects, const fs::path& folder) {
  if (subjects.size() == 1 && subjects[0].ends_with(".json")) return subjects[0];
  if (subjects.empty()) throw UsageError("redbench tune: a config or variants are expected");
  Json experiments = Json::array();
  for (const std::string& name : subjects) {
    const Variant* const variant = find_variant(name);
    if (name.ends_with(".json")) throw UsageError(name + ": a config is tuned alone, without other subjects");
    if (!variant) throw UsageError(name + ": neither a variant nor a config" + nearest_variant(name));
    experiments.push_back(
        {{"problem", variant->problem}, {"variants", {variant->short_name}}, {"axes", {{"n", "2^26"}}}});
  }
  const std::string path = folder / "points.json";
  write_file(path, indented({{"experiments", experiments}}));
  return path;
}

/// A config that shows variants tuned asks for these alone. They are planned as printed, as their points are not tuned yet.
void keep_tuned(std::vector<Experiment>& experiments) {
  const auto is_printed = [](const Experiment& experiment) {
    return std::ranges::find(experiment.parameters, ParametersFrom::tuned) == experiment.parameters.end();
  };
  if (!std::ranges::all_of(experiments, is_printed)) std::erase_if(experiments, is_printed);
  for (Experiment& experiment : experiments) experiment.parameters = {ParametersFrom::printed};
}

bool is_tunable(const Case& case_, const Devices& devices) {
  return &devices.of(*case_.variant) == &devices.kernels && !parameters_of(case_.variant->card).empty() &&
         case_.variant->instance(devices.kernels.target(), case_.input.type, case_.input.op);
}

Search search_of(const Case& case_) {
  Search search{case_.variant, point_of(*case_.variant, case_.input, case_.sizes), {}, {}};
  search.input = {{"n", case_.input.n}, {"type", search.point.type}, {"operator", search.point.op}};
  search.input.update(search.point.axes);
  return search;
}

/// Null where the card does not take one of them, or a search may not choose it.
Json parameters_of_point(const TunedPoint& point, const Search& search) {
  Json all = search.defaults();
  for (const auto& [name, value] : point.parameters) {
    const Parameter* const parameter = find_parameter(search.variant->card, name);
    if (!parameter || !takes(*parameter, value)) return nullptr;
    if (!is_searched(*parameter) && value != parameter->fallback) return nullptr;
    all[name] = value;
  }
  return all;
}

void add_once(std::vector<Json>& list, const Json& parameters) {
  if (std::ranges::find(list, parameters) == list.end()) list.push_back(parameters);
}

/// A value given for a launch parameter would be lost among the candidates.
void refuse_parameter_axes(const std::vector<std::string>& axes, const std::vector<Search>& searches) {
  for (const std::string& axis : axes)
    for (const Search& search : searches)
      if (const Parameter* const parameter =
              find_parameter(search.variant->card, axis.substr(0, axis.find('='))))
        throw UsageError(fmt::format(
            "-a {}: a launch parameter of {}, {}", axis, search.variant->name,
            is_searched(*parameter) ? "whose values the search chooses" : "which a search leaves as it is"));
}

}  // namespace

Json Search::defaults() const {
  Json values = Json::object();
  for (const Parameter& parameter : parameters_of(variant->card))
    values[std::string(parameter.name)] = parameter.fallback;
  return values;
}

void Search::add_known() {
  if (!known.is_null()) add_once(left, known);
}

void Search::add_elsewhere(std::size_t most) {
  for (const Json& parameters : elsewhere | std::views::take(most)) add_once(left, parameters);
}

void set_known(Search& search, const std::vector<TunedPoint>& there) {
  for (const TunedPoint& point : there) {
    if (point.variant != search.variant->name) continue;
    const Json parameters = parameters_of_point(point, search);
    if (parameters.is_null()) continue;
    if (key_of(point) == key_of(search.point)) {
      search.known = parameters;
      const Json tried = part_of(point.found, "candidates");
      search.known_tried = tried.is_number_unsigned() ? tried.get<std::size_t>() : 0;
    } else search.elsewhere.push_back(parameters);
  }
}

AskedPoints read_points(const TuneOptions& options, const Devices& devices, const fs::path& folder) {
  const Overrides& overrides = options.request.overrides;
  Config config =
      load_config(config_of(options.subjects, folder), devices.kernels.target(), overrides, record_columns());
  keep_tuned(config.experiments);
  AskedPoints asked{.searches = {}, .measure = Json::object(), .seed = config.seed};
  const Json& measure = config.resolved["measure"];
  for (const char* key : {"max_noise", "timeout_s", "hang_s"}) asked.measure[key] = measure[key];
  asked.measure["mode"] = measure["mode"][0];
  std::set<std::string> known;
  for (const Cell& cell : make_plan(config, devices).cells)
    for (const Case& case_ : cell.cases) {
      if (!is_tunable(case_, devices)) continue;
      Search search = search_of(case_);
      if (known.insert(key_of(search.point)).second) asked.searches.push_back(std::move(search));
    }
  refuse_parameter_axes(overrides.axes, asked.searches);
  if (asked.searches.empty())
    throw UsageError("redbench tune: no variant with launch parameters runs on " + devices.kernels.name());
  return asked;
}

}  // namespace redbench
