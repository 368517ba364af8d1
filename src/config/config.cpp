#include "src/config/config.hpp"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>

#include "src/config/experiment.hpp"
#include "src/config/keys.hpp"
#include "src/config/rows.hpp"
#include "src/error.hpp"
#include "src/json/node.hpp"
#include "src/json/parse.hpp"
#include "src/registry.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// Notes which parts a patch brings: its leaves, and the objects that the file itself does not have.
void note_patch(const Json& patch, const Json* base, const std::string& path, const std::string& prefix,
                Origins& origins) {
  const bool merges = patch.is_object() && base && base->is_object();
  if (!merges) {
    origins.parts.push_back({path, prefix, {}});
    return;
  }
  for (const auto& [key, value] : patch.items())
    note_patch(value, base->contains(key) ? &(*base)[key] : nullptr, path + "." + key, prefix, origins);
}

/// The file as it stands for a target: its patch merged in, the patches themselves taken out. `keys` are
/// those that it may have.
Json for_target(const Json& file, std::string_view target, const std::vector<Key>& keys, Origins& origins) {
  Json document = file;
  for (const std::string_view name : target_names) {
    const std::string key = patch_key(name);
    if (!file.contains(key)) continue;
    document.erase(key);
    const Node patch = Node(file, "$", origins)[key];
    patch.expect_object(names_of(keys));
    if (name != target) continue;
    for (const std::string_view other : target_names)
      if (patch.has(patch_key(other))) patch[patch_key(other)].fail("a patch holds no patches");
    note_patch(patch.value(), &document, "$", "$." + key, origins);
    document.merge_patch(patch.value());
  }
  return document;
}

/// One step of a key's path: `name`, or `[2]`.
struct Step {
  std::string key;
  std::optional<std::size_t> index;
};

std::vector<Step> steps_of(const std::string& path, const std::string& set) {
  static const RE2 whole(R"((?:\$\.)?[^.\[]+(?:\.[^.\[]+|\[[0-9]{1,6}\])*)", RE2::Latin1);
  static const RE2 next(R"(\.?(?:\[([0-9]+)\]|([^.\[]+)))", RE2::Latin1);
  std::vector<Step> steps;
  if (RE2::FullMatch(path, whole)) {
    re2::StringPiece rest = path;
    if (path.starts_with("$.")) rest.remove_prefix(2);
    for (std::string index, key; RE2::Consume(&rest, next, &index, &key);)
      steps.push_back({key, index.empty() ? std::nullopt : std::optional(std::stoul(index))});
  }
  if (steps.empty() || steps.size() > deepest_json)
    throw UsageError("--set " + set.substr(0, 60) + ": expected KEY=VALUE, as in measure.max_noise=1");
  return steps;
}

/// "measure.max_noise=1": the value is JSON where it parses as such, else a string.
void apply_set(Json& document, const std::string& set, Origins& origins) {
  const std::size_t equals = set.find('=');
  const std::vector<Step> steps = steps_of(set.substr(0, equals == set.npos ? 0 : equals), set);
  const std::string text = set.substr(equals + 1);
  constexpr std::size_t shown = 60;  // of a value that may be long
  const std::string note = "--set " + (set.size() > shown ? set.substr(0, shown) + "..." : set);
  const Json value = Json::accept(text) ? parse_strictly(text, note) : Json(text);

  Json* part = &document;
  std::string path = "$";
  for (const std::string_view target : target_names)
    if (steps[0].key == patch_key(target))
      throw UsageError(fmt::format(
          "--set {}: patches are merged before; set the key itself, as in measure.max_noise=1", set));
  for (const Step& step : steps) {
    if (step.index) {
      if (!part->is_array() || *step.index >= part->size())
        throw UsageError(fmt::format("--set {}: {} has no element {}", set, path, *step.index));
      part = &(*part)[*step.index];
      path += fmt::format("[{}]", *step.index);
    } else {
      if (!part->is_object() && !part->is_null())
        throw UsageError(fmt::format("--set {}: {} is not an object", set, path));
      part = &(*part)[step.key];
      path += "." + step.key;
    }
  }
  *part = value;
  origins.parts.push_back({path, {}, note});
}

MeasureOptions read_measure(const Node& node) {
  MeasureOptions options = read_members(measure_rows(), node);
  if (!node.has("max_samples")) options.max_samples = std::max(options.max_samples, options.min_samples);
  if (options.max_samples < options.min_samples)
    node["max_samples"].fail(fmt::format("is less than min_samples, {}", options.min_samples));
  if (options.trace && !options.counters) node["trace"].fail("needs `counters` to be true");
  return options;
}

Json resolved(const Config& config) {
  Json experiments = Json::array();
  for (const Experiment& experiment : config.experiments) {
    Json& json = experiments.emplace_back(Json{{"title", experiment.title},
                                               {"problem", experiment.problem},
                                               {"variants", experiment.variants},
                                               {"axes", Json::object()}});
    for (const auto& [name, values] : experiment.axes) json["axes"][name] = values;
    if (experiment.parameters != Experiment().parameters)
      json.update(write_members(parameter_rows(), experiment));
  }
  return {{"title", config.title},
          {"experiments", experiments},
          {"measure", write_members(measure_rows(), config.measure)},
          {"seed", config.seed},
          {"plots", config.plots}};
}

/// The path below configs/ without its ending; outside of it, the file's name.
std::string name_of(const fs::path& path) {
  const fs::path plain = path.lexically_normal().replace_extension();
  fs::path below;
  bool inside = false;
  for (const fs::path& part : plain) {
    if (inside) below /= part;
    if (part == "configs") {
      inside = true;
      below.clear();
    }
  }
  return below.empty() ? plain.filename().string() : below.generic_string();
}

Config read_config(const std::string& path, const Json& document, const Overrides& overrides,
                   const Columns& columns, Origins& origins) {
  const Node root(document, "$", origins);
  config_shape(columns).check(root);
  Config config;
  config.path = path;
  config.name = name_of(path);
  config.title = document.value("title", config.name);
  config.seed = document.value("seed", config.seed);
  if (root.has("measure")) config.measure = read_measure(root["measure"]);

  const std::string folder = fs::path(path).parent_path().string();
  std::vector<const Problem*> problems;
  config.experiments = read_experiments(root["experiments"], folder, overrides, origins, problems);
  if (root.has("plots")) config.plots = read_plots(root["plots"], problems, columns, folder);
  if (root.has("caches")) config.caches = read_caches(root["caches"]);
  config.resolved = resolved(config);
  return config;
}

constexpr const char* tuned_key = "tuned";  // of Config::resolved

void read_tuned_of(const Json& resolved, const std::string& path, Config& config) {
  if (const Json tuned = part_of(resolved, tuned_key); !tuned.is_null())
    config.tuned = deserialize_tuned(tuned, path + ", its tuned parameters");
}

/// Takes out variants of names that no variant has. False where none is left.
bool leave_built_variants(Json& experiment) {
  if (!experiment.is_object() || !experiment.contains("problem") || !experiment["problem"].is_string() ||
      !experiment.contains("variants") || !experiment["variants"].is_array())
    return true;  // refused where it is read
  const std::string problem = experiment["problem"];
  auto& variants = experiment["variants"].get_ref<Json::array_t&>();
  std::erase_if(variants, [&](const Json& name) {
    return name.is_string() && !find_variant(problem + "/" + name.get<std::string>());
  });
  return !variants.empty();
}

}  // namespace

Config load_config(const std::string& path, Target target, const Overrides& overrides,
                   const Columns& columns) {
  if (std::error_code error; !fs::exists(path, error) && !error)
    throw UsageError(path + ": there is no such file" + nearest_config(path));
  return parse_config(read_json_file(path), path, target, overrides, columns);
}

Config parse_config(const Json& file, const std::string& path, Target target, const Overrides& overrides,
                    const Columns& columns) {
  const std::vector<Key>& keys = config_shape(columns).members;
  Origins of_file{path, {}};
  if (!file.is_object()) Node(file, "$", of_file).expect_object({});

  // A patch for another device is checked as well: it would be wrong there.
  for (const std::string_view other : target_names) {
    if (other == target_names[std::size_t(target)] || !file.contains(patch_key(other))) continue;
    Origins origins = of_file;
    const Json document = for_target(file, other, keys, origins);
    read_config(path, document, {}, columns, origins);
  }

  Origins origins = of_file;
  Json document = for_target(file, target_names[std::size_t(target)], keys, origins);
  for (const std::string& set : overrides.sets) apply_set(document, set, origins);
  return read_config(path, document, overrides, columns, origins);
}

Config variant_config(const Variant& variant, Target target, const Overrides& overrides,
                      const Columns& columns) {
  Origins origins{variant.name, {}};
  const std::vector<Instance>& instances = variant.instances[std::size_t(target)];
  const Instance* const taken = variant.first_taken(target);
  if (!taken) {
    const std::string why =
        instances.empty() ? "it is not built for this device" : std::string(instances[0].refusal);
    throw UsageError(fmt::format("{}: nothing that {} could run: {}", variant.name,
                                 target_names[std::size_t(target)], why));
  }
  Json document{
      {"title", fmt::format("{}: {}", variant.name, variant.card.title)},
      {"experiments",
       {{{"problem", variant.problem},
         {"variants", {variant.short_name}},
         {"axes", {{"n", "2^20"}, {"type", name_of(taken->type)}, {"operator", name_of(taken->op)}}}}}}};
  for (const std::string& set : overrides.sets) apply_set(document, set, origins);
  Config config = read_config(variant.name, document, overrides, columns, origins);
  config.name = variant.name;
  return config;
}

Config deserialize_config(const std::string& path, const std::string& name, const Json& resolved) {
  Config config;
  config.path = path;
  config.name = name;
  config.title = resolved["title"];
  config.seed = resolved["seed"];
  config.plots = resolved["plots"];
  config.resolved = resolved;
  const Origins origins{path, {}};
  for (const Json& json : resolved["experiments"]) {
    Experiment experiment{json["title"], json["problem"], json["variants"], {}};
    for (const auto& [axis, values] : json["axes"].items()) experiment.axes.emplace_back(axis, values);
    experiment.parameters = read_members(parameter_rows(), Node(json, "$.experiments", origins)).parameters;
    config.experiments.push_back(std::move(experiment));
  }
  config.measure = read_members(measure_rows(), Node(resolved["measure"], "$.measure", origins));
  read_tuned_of(resolved, path, config);
  return config;
}

Config stored_config(const std::string& place, const Json& resolved, const Columns& columns) {
  Origins origins{place, {}};
  if (!resolved.is_object()) Node(resolved, "$", origins).expected("an object");
  Json document{{"experiments", resolved.value("experiments", Json())},
                {"seed", resolved.value("seed", Json())}};
  Json& experiments = document["experiments"];
  if (experiments.is_array() && !experiments.empty()) {
    std::erase_if(experiments.get_ref<Json::array_t&>(),
                  [](Json& experiment) { return !leave_built_variants(experiment); });
    if (experiments.empty())
      throw UsageError(place + ": none of its variants is known here; --kernels DIR has those of your own");
  }
  Config config = read_config(place, document, {}, columns, origins);
  read_tuned_of(resolved, place, config);
  return config;
}

void use_tuned(Config& config, const std::string& file, const Device& device) {
  std::set<std::string> asking;
  for (const Experiment& experiment : config.experiments)
    if (std::ranges::find(experiment.parameters, ParametersFrom::tuned) != experiment.parameters.end())
      for (const std::string& name : experiment.variants) asking.insert(experiment.problem + "/" + name);
  if (asking.empty()) {
    if (!file.empty())
      throw UsageError("--tuned " + file + ": no experiment asks for tuned parameters (--parameters tuned)");
    return;
  }
  config.tuned = find_tuned(file, device);
  if (!config.tuned) return;
  std::erase_if(config.tuned->points,
                [&](const TunedPoint& point) { return !asking.contains(point.variant); });
  config.resolved[tuned_key] = to_json(*config.tuned);
}

}  // namespace redbench
