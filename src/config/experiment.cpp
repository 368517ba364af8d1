#include "src/config/experiment.hpp"

#include <fmt/format.h>
#include <fnmatch.h>
#include <re2/re2.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <type_traits>
#include <unordered_set>

#include "src/config/axes.hpp"
#include "src/config/keys.hpp"
#include "src/error.hpp"
#include "src/inputs/npy.hpp"
#include "src/inputs/problem.hpp"
#include "src/inputs/values.hpp"
#include "src/registry.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

constexpr double most_cases = 100'000;

/// In the order in which they came, each once.
template <class Value>
void add_new(std::vector<Value>& list, const std::type_identity_t<Value>& value) {
  if (std::ranges::find(list, value) == list.end()) list.push_back(value);
}

/// The names that a list of names and globs means, each once, in the order of the list.
std::vector<std::string> read_variants(const Node& node, const std::string& problem) {
  const std::vector<std::string> all = short_variant_names(problem);
  std::vector<std::string> chosen;
  for (const Node& entry : node.one_or_more()) {
    const std::string& pattern = entry.text();
    const bool is_glob = pattern.find_first_of("*?[") != pattern.npos;
    bool found = false;
    for (const std::string& name : all) {
      if (is_glob ? fnmatch(pattern.c_str(), name.c_str(), 0) != 0 : pattern != name) continue;
      found = true;
      add_new(chosen, name);
    }
    if (found) continue;
    if (is_glob) entry.fail(fmt::format("no variant of {} matches `{}`", problem, pattern));
    const std::string plain =
        pattern.starts_with(problem + "/") ? pattern.substr(problem.size() + 1) : pattern;
    entry.fail(fmt::format("{} has no variant `{}`{} (`redbench list` names them, without `{}/` here)",
                           problem, pattern, nearest_match(plain, all), problem));
  }
  return chosen;
}

const std::vector<Json>* find_axis(const Experiment& experiment, std::string_view name) {
  for (const auto& [axis, values] : experiment.axes)
    if (axis == name) return &values;
  return nullptr;
}

void set_axis(Experiment& experiment, const std::string& name, std::vector<Json> values) {
  for (auto& [axis, old] : experiment.axes)
    if (axis == name) {
      old = std::move(values);
      return;
    }
  experiment.axes.emplace_back(name, std::move(values));
}

/// The values of an axis, each once.
std::vector<Json> read_axis(const Node& axis, const std::string& name, const Problem& problem,
                            const std::vector<std::string>& variants) {
  std::vector<Json> values;
  std::unordered_set<std::string> texts;
  for (const Node& entry : axis.one_or_more()) {
    for (Json& value : axis_values(entry, name, problem, variants))
      if (texts.insert(value.dump(-1, ' ', false, Json::error_handler_t::replace)).second)
        values.push_back(std::move(value));
    if (double(values.size()) > most_cases)
      axis.fail(fmt::format("more than {:.0f} values, and so more cases than that", most_cases));
  }
  return values;
}

/// Throws where no type or operator of the experiment takes what the file holds.
void check_file_fits(const Node& entry, const ArrayFile& file, const Experiment& experiment) {
  const auto has = [&](std::string_view axis, std::string_view value) {
    const std::vector<Json>* const values = find_axis(experiment, axis);
    return std::ranges::find(*values, Json(value)) != values->end();
  };
  if (!has("type", name_of(file.type)))
    entry.fail(fmt::format("{} holds {}, which the axis `type` does not have{}", file.path,
                           name_of(file.type), has("type", "bf16") ? "; NumPy has no bf16" : ""));
  const std::vector<std::string> types = names_in(*find_problem(experiment.problem), &Pair::type);
  if (std::ranges::find(types, name_of(file.type)) == types.end())
    entry.fail(fmt::format("{} holds {}, of which {} has no values; allowed are {}", file.path,
                           name_of(file.type), experiment.problem, alternatives(types)));
  const bool affine = has("operator", name_of(Operator::affine));
  if (file.columns() == 2 && !affine)
    entry.fail(fmt::format("{} holds pairs, which only the operator `affine` takes", file.path));
  if (file.columns() == 1 && affine && find_axis(experiment, "operator")->size() == 1)
    entry.fail(fmt::format("{} holds single values; `affine` takes pairs (a, b), an array of shape (n, 2)",
                           file.path));
}

/// An experiment for each file of an axis that knows how many inputs there are, where the config gives no n
/// and the axis has files alone; the experiment as it is otherwise.
std::vector<Experiment> with_inputs_counted(const Experiment& experiment) {
  if (find_axis(experiment, "n")) return {experiment};
  for (const ProblemAxis& axis : find_problem(experiment.problem)->axes) {
    const std::vector<Json>* const values = find_axis(experiment, axis.name);
    if (!axis.inputs || !values || !std::ranges::all_of(*values, [](const Json& v) { return v.is_object(); }))
      continue;
    std::vector<Experiment> parts;
    for (const Json& file : *values) {
      parts.push_back(experiment);
      set_axis(parts.back(), axis.name, {file});
      set_axis(parts.back(), "n", {axis.inputs(file)});
    }
    return parts;
  }
  return {experiment};
}

/// An experiment for each file of values, which decides type and n where the config does not, and one for
/// what is generated. Not `checked`, the plan refuses the cases of a file that does not fit.
std::vector<Experiment> split_by_file(const Node& node, const Experiment& experiment, bool checked) {
  const Pair& usual = find_problem(experiment.problem)->pairs.front();
  const bool has_n = find_axis(experiment, "n"), has_type = find_axis(experiment, "type");
  std::vector<Experiment> parts;
  std::vector<Json> generated;
  const auto add = [&](std::vector<Json> values, Json type, Json n) -> Experiment& {
    Experiment part = experiment;
    if (!values.empty()) set_axis(part, "values", std::move(values));
    if (!has_n) set_axis(part, "n", {std::move(n)});
    if (!has_type) set_axis(part, "type", {std::move(type)});
    if (!find_axis(part, "operator")) set_axis(part, "operator", {name_of(usual.op)});
    parts.push_back(std::move(part));
    return parts.back();
  };
  if (node.has("values"))
    for (const Node& entry : node["values"].one_or_more()) {
      if (!entry.value().is_object()) {
        generated.push_back(entry.value());
        continue;
      }
      const ArrayFile file = open_npy(values_file(entry.value()));
      const Experiment& part = add({entry.value()}, name_of(file.type), file.rows());
      if (checked) check_file_fits(entry, file, part);
    }
  if (generated.empty() && !parts.empty()) return parts;
  if (!has_n) node.fail("the axis `n` is missing: the sizes of the input, as in \"n\": [\"1Mi\", \"2^24\"]");
  add(generated, name_of(usual.type), {});
  return parts;
}

/// The regular expression of -b.
std::unique_ptr<RE2> compiled(const std::string& pattern) {
  RE2::Options quiet;
  quiet.set_log_errors(false);
  auto expression = std::make_unique<RE2>(pattern, quiet);
  if (!expression->ok())
    throw UsageError(fmt::format("-b {}: not a regular expression: {}", pattern, expression->error()));
  return expression;
}

class ExperimentReader {
 public:
  ExperimentReader(const std::string& folder, const Overrides& overrides, Origins& origins,
                   std::vector<const Problem*>& problems)
      : folder_(folder),
        pattern_(overrides.variants),
        parameters_(overrides.parameters),
        origins_(origins),
        problems_(problems) {
    for (const std::string& text : overrides.axes) {
      const std::size_t equals = text.find('=');
      if (equals == text.npos || equals == 0 || equals + 1 == text.size())
        throw UsageError(
            fmt::format("-a {}: expected NAME=VALUES, as in n=[16Mi:31Mi:1Mi] or type=f32,f64", text));
      const std::string name = text.substr(0, equals);
      auto axis = std::ranges::find(axes_, name, &AxisOverride::name);
      if (axis == axes_.end())
        axis = axes_.insert(axis, {"-a " + text.substr(0, 60), name, Json::array(), false});
      for (const std::string& value : split_at_commas(text.substr(equals + 1)))
        axis->values.push_back(value.starts_with('{') ? parse_strictly(value, axis->text) : Json(value));
    }
  }

  std::vector<Experiment> read(const Node& list) {
    std::vector<Experiment> experiments;
    for (const Node& node : list.list())
      for (Experiment& experiment : read_entry(node)) {
        double cases = double(experiment.variants.size());
        for (const auto& [name, values] : experiment.axes) cases *= double(values.size());
        cases_ += cases;
        experiments.push_back(std::move(experiment));
      }
    for (const AxisOverride& override : axes_)
      if (!override.used)
        throw UsageError(fmt::format("{}: no experiment of {} has an axis `{}`; it has {}{}", override.text,
                                     origins_.file, override.name, alternatives(known_axes_),
                                     nearest_match(override.name, known_axes_)));
    if (experiments.empty())
      throw UsageError(fmt::format("-b {}: fits no variant of {}, which has {}", pattern_, origins_.file,
                                   alternatives(variants_seen_)));
    if (cases_ > most_cases)
      throw UsageError(
          fmt::format("{}: means {:.0f} cases; the most is {:.0f}", origins_.file, cases_, most_cases));
    return experiments;
  }

 private:
  /// -a name=values
  struct AxisOverride {
    std::string text, name;
    Json values;
    bool used = false;
  };

  std::vector<Experiment> read_entry(const Node& node) {
    Experiment experiment;
    if (node.has("title")) experiment.title = node["title"].text();
    const Problem& problem = problems()[node["problem"].choice(problem_names())];
    add_new(problems_, &problem);
    experiment.problem = problem.name;
    experiment.variants = read_variants(node["variants"], problem.name);

    const std::vector<std::string> known = axis_names(problem, experiment.variants);
    for (const std::string& name : known) add_new(known_axes_, name);
    const Json json = with_overrides(node, known);
    const Node axes(json, node.path() + ".axes", origins_);
    axes.expect_object(known);
    for (const auto& [name, value] : json.items())
      experiment.axes.emplace_back(name, read_axis(axes[name], name, problem, experiment.variants));

    for (const std::string& name : experiment.variants) add_new(variants_seen_, problem.name + "/" + name);
    if (!pattern_.empty()) {
      const std::unique_ptr<RE2> pattern = compiled(pattern_);
      std::erase_if(experiment.variants, [&](const std::string& name) {
        return !RE2::PartialMatch(problem.name + "/" + name, *pattern);
      });
    }
    read_parameters(node, problem, experiment);
    // Also where -b has left no variant, so that the mistakes of an entry do not depend on -b.
    std::vector<Experiment> parts;
    const bool as_written = std::ranges::none_of(
        axes_, [](const AxisOverride& axis) { return axis.name == "type" || axis.name == "operator"; });
    for (const Experiment& counted : with_inputs_counted(experiment))
      for (Experiment& part : split_by_file(axes, counted, as_written)) parts.push_back(std::move(part));
    if (experiment.variants.empty()) return {};
    return parts;
  }

  void read_parameters(const Node& node, const Problem& problem, Experiment& experiment) {
    const Json flag{{"parameters", parameters_}};
    const Origins of_flag{"--parameters", {}};
    const Node from = parameters_.empty() ? node : Node(flag, "$", of_flag);
    experiment.parameters = read_members(parameter_rows(), from).parameters;
    if (std::ranges::find(experiment.parameters, ParametersFrom::printed) != experiment.parameters.end())
      return;
    for (const auto& [name, values] : experiment.axes)
      if (!is_input_axis(problem, name))
        from["parameters"].fail(
            fmt::format("parameters are tuned, so the axis `{}` would change nothing", name));
  }

  Json with_overrides(const Node& node, const std::vector<std::string>& known) {
    Json axes = node.has("axes") ? node["axes"].value() : Json::object();
    for (AxisOverride& override : axes_) {
      if (std::ranges::find(known, override.name) == known.end()) continue;
      axes[override.name] = override.values;
      override.used = true;
      origins_.parts.push_back({node.path() + ".axes." + override.name, {}, override.text});
    }
    for (auto& [name, value] : axes.items()) value = with_found_files(value, folder_);
    return axes;
  }

  const std::string& folder_;
  const std::string& pattern_;     // of -b
  const std::string& parameters_;  // of --parameters
  Origins& origins_;
  std::vector<const Problem*>& problems_;
  std::vector<AxisOverride> axes_;
  std::vector<std::string> known_axes_, variants_seen_;
  double cases_ = 0;
};

}  // namespace

bool fits_pattern(const std::string& name, const std::string& pattern) {
  return RE2::PartialMatch(name, *compiled(pattern));
}

std::vector<Experiment> read_experiments(const Node& list, const std::string& folder,
                                         const Overrides& overrides, Origins& origins,
                                         std::vector<const Problem*>& problems) {
  return ExperimentReader(folder, overrides, origins, problems).read(list);
}

}  // namespace redbench
