#include "src/config/config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "src/config/experiment.hpp"
#include "src/config/json_node.hpp"
#include "src/error.hpp"
#include "src/registry.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

std::string patch_key(std::string_view target) { return "on_" + std::string(target); }

std::vector<std::string> top_keys() {
  std::vector<std::string> keys{"$schema", "title", "experiments", "measure", "seed", "plots"};
  for (const std::string_view target : target_names) keys.push_back(patch_key(target));
  return keys;
}

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

/// The file as it stands for a target: its patch merged in, the patches themselves taken out.
Json for_target(const Json& file, std::string_view target, Origins& origins) {
  Json document = file;
  for (const std::string_view name : target_names) {
    const std::string key = patch_key(name);
    if (!file.contains(key)) continue;
    document.erase(key);
    const Node patch = Node(file, "$", origins)[key];
    patch.expect_object(top_keys());
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
  std::vector<Step> steps;
  const auto refuse = [&] {
    throw UsageError("--set " + set + ": expected KEY=VALUE, as in measure.max_noise=1");
  };
  std::size_t at = path.starts_with("$.") ? 2 : 0;
  while (at < path.size()) {
    if (path[at] == '[') {
      const std::size_t end = path.find(']', at);
      const std::string digits = path.substr(at + 1, end == path.npos ? 0 : end - at - 1);
      if (digits.empty() || digits.size() > 6 || digits.find_first_not_of("0123456789") != digits.npos)
        refuse();
      steps.push_back({{}, std::stoul(digits)});
      at = end + 1;
      if (at < path.size() && path[at] == '.') ++at;
    } else {
      const std::size_t end = std::min(path.find_first_of(".[", at), path.size());
      if (end == at) refuse();
      steps.push_back({path.substr(at, end - at), {}});
      at = end + (end < path.size() && path[end] == '.');
    }
  }
  if (steps.empty()) refuse();
  return steps;
}

/// "measure.max_noise=1": the value is JSON where it parses as such, else a string.
void apply_set(Json& document, const std::string& set, Origins& origins) {
  const std::size_t equals = set.find('=');
  const std::vector<Step> steps = steps_of(set.substr(0, equals == set.npos ? 0 : equals), set);
  const std::string text = set.substr(equals + 1);
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded()) value = text;

  Json* part = &document;
  std::string path = "$";
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
  *part = std::move(value);
  origins.parts.push_back({path, {}, "--set " + set});
}

std::vector<Mode> read_modes(const Node& node) {
  const std::vector<std::string> names(mode_names.begin(), mode_names.end());
  if (node.value() == "cold,warm" || node.value() == "warm,cold") return {Mode::cold, Mode::warm};
  std::vector<Mode> modes;
  for (const Node& entry : node.one_or_more()) {
    const Mode mode = Mode(entry.choice(names));
    if (std::find(modes.begin(), modes.end(), mode) == modes.end()) modes.push_back(mode);
  }
  return modes;
}

/// Names without their problem.
std::vector<std::string> short_variant_names() {
  std::vector<std::string> names;
  for (const Variant& variant : variants()) names.push_back(variant.short_name);
  return names;
}

LevelOptions read_levels(const Node& node) {
  constexpr Index most = std::numeric_limits<std::int32_t>::max();
  LevelOptions options;
  node.expect_object({"launch", "block", "warp", "steps"});
  if (node.has("launch")) options.launch = node["launch"].integer(0, most);
  if (node.has("block")) options.block = node["block"].integer(0, most);
  if (node.has("warp")) options.warp = node["warp"].integer(0, 31);
  if (!node.has("steps")) node.fail("the key `steps` is missing: the levels of each variant");
  const Node steps = node["steps"];
  if (!steps.value().is_object()) steps.fail("expected an object: the levels of each variant");
  const std::vector<std::string> names = short_variant_names();
  for (const auto& [variant, numbers] : steps.value().items()) {
    const Node list = steps[variant];
    if (std::find(names.begin(), names.end(), variant) == names.end())
      list.fail("there is no variant of this name" + nearest_match(variant, names));
    if (list.list().empty()) list.fail("the list is empty; at least one step is a level");
    for (const Node& number : list.list()) options.steps[variant].push_back(number.integer(0, most));
  }
  return options;
}

MeasureOptions read_measure(const Node& node) {
  constexpr int most_samples = 1'000'000;
  MeasureOptions options;
  node.expect_object({"min_samples", "max_samples", "max_noise", "timeout_s", "hang_s", "mode", "per_launch",
                      "energy", "counters", "levels"});
  if (node.has("min_samples")) options.min_samples = int(node["min_samples"].integer(1, most_samples));
  options.max_samples = std::max(options.max_samples, options.min_samples);
  if (node.has("max_samples")) options.max_samples = int(node["max_samples"].integer(1, most_samples));
  if (options.max_samples < options.min_samples)
    node["max_samples"].fail(fmt::format("is less than min_samples, {}", options.min_samples));
  if (node.has("max_noise")) options.max_noise = node["max_noise"].number(0);
  if (node.has("timeout_s")) options.timeout_s = node["timeout_s"].number(0);
  if (node.has("hang_s")) options.hang_s = node["hang_s"].number(0);
  if (node.has("mode")) options.modes = read_modes(node["mode"]);
  if (node.has("per_launch")) options.per_launch = node["per_launch"].flag();
  if (node.has("energy")) options.energy = node["energy"].flag();
  if (node.has("counters")) options.counters = node["counters"].flag();
  if (node.has("levels")) options.levels = read_levels(node["levels"]);
  if (node.has("levels") && !options.counters) node["levels"].fail("needs `counters`, true, beside it");
  return options;
}

Json resolved_levels(const LevelOptions& levels) {
  return {{"launch", levels.launch}, {"block", levels.block}, {"warp", levels.warp}, {"steps", levels.steps}};
}

Json resolved_measure(const MeasureOptions& options) {
  Json modes = Json::array();
  for (const Mode mode : options.modes) modes.push_back(mode_names[std::size_t(mode)]);
  return {{"min_samples", options.min_samples},
          {"max_samples", options.max_samples},
          {"max_noise", options.max_noise},
          {"timeout_s", options.timeout_s},
          {"hang_s", options.hang_s},
          {"mode", modes},
          {"per_launch", options.per_launch},
          {"energy", options.energy},
          {"counters", options.counters},
          {"levels", options.levels.steps.empty() ? Json() : resolved_levels(options.levels)}};
}

Json resolved_experiment(const Experiment& experiment) {
  Json axes = Json::object();
  for (const auto& [name, values] : experiment.axes) axes[name] = values;
  return {{"title", experiment.title},
          {"problem", experiment.problem},
          {"variants", experiment.variants},
          {"axes", axes}};
}

Json resolved(const Config& config) {
  Json experiments = Json::array();
  for (const Experiment& experiment : config.experiments)
    experiments.push_back(resolved_experiment(experiment));
  return {{"title", config.title},
          {"experiments", experiments},
          {"measure", resolved_measure(config.measure)},
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

void read_experiments(const Node& root, const Overrides& overrides, Origins& origins, Config& config) {
  if (!root.has("experiments")) root.fail("the key `experiments` is missing: a list of what to compare");
  ExperimentReader reader(fs::path(config.path).parent_path().string(), overrides, origins);
  const Node experiments = root["experiments"];
  if (experiments.list().empty()) experiments.fail("the list is empty; at least one experiment is needed");
  for (const Node& node : experiments.list())
    for (Experiment& experiment : reader.read(node)) config.experiments.push_back(std::move(experiment));
  reader.finish();
}

Config read_config(const std::string& path, const Json& document, const Overrides& overrides,
                   Origins& origins) {
  const Node root(document, "$", origins);
  root.expect_object(top_keys());
  Config config;
  config.path = path;
  config.name = name_of(path);
  config.title = root.has("title") ? root["title"].text() : config.name;
  if (root.has("$schema")) root["$schema"].text();
  if (root.has("seed"))
    config.seed = std::uint64_t(root["seed"].integer(0, std::numeric_limits<Index>::max()));
  if (root.has("measure")) config.measure = read_measure(root["measure"]);
  if (root.has("plots")) {
    for (const Node& plot : root["plots"].list())
      if (!plot.value().is_object()) plot.fail("expected an object");
    config.plots = root["plots"].value();
  }
  read_experiments(root, overrides, origins, config);
  config.resolved = resolved(config);
  return config;
}

}  // namespace

Config load_config(const std::string& path, Target target, const Overrides& overrides) {
  const Json file = read_json_file(path);
  Origins of_file{path, {}};
  if (!file.is_object()) Node(file, "$", of_file).expect_object({});

  // A patch for another device is checked as well: it would be wrong there.
  for (const std::string_view other : target_names) {
    if (other == target_names[std::size_t(target)] || !file.contains(patch_key(other))) continue;
    Origins origins = of_file;
    const Json document = for_target(file, other, origins);
    read_config(path, document, {}, origins);
  }

  Origins origins = of_file;
  Json document = for_target(file, target_names[std::size_t(target)], origins);
  for (const std::string& set : overrides.sets) apply_set(document, set, origins);
  return read_config(path, document, overrides, origins);
}

Config variant_config(const Variant& variant, Target target, const Overrides& overrides) {
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
  Config config = read_config(variant.name, document, overrides, origins);
  config.name = variant.name;
  return config;
}

}  // namespace redbench
