#include "src/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

#include "src/config/axes.hpp"
#include "src/error.hpp"
#include "src/inputs/problem.hpp"
#include "src/plan/refusals.hpp"

namespace redbench {
namespace {

/// The launch parameters of a case, and Case::tuned.
struct ChosenParameters {
  Parameters values;
  std::optional<std::string> tuned = {};
  std::string refusal = {};
};

std::string not_tuned(const Variant& variant, const Device& device) {
  return fmt::format("no parameters of it are tuned for {}: {}", device.facts().name,
                     device.target() == Target::simt
                         ? "a modelled device has no times; --tuned FILE takes parameters of your own"
                         : fmt::format("redbench tune {} -d {}", variant.name, device.name()));
}

/// Of a point of other sources: its variant took other parameters.
std::string unknown_parameter(const Variant& variant, const TunedPoint& point) {
  for (const auto& [name, value] : point.parameters)
    if (!find_parameter(variant.card, name))
      return fmt::format("it has no parameter `{}`, which the tuned file gives it", name);
  return {};
}

/// "n=1024 m=256", and the other axes in which the point is not the case's.
std::string text_of(const TunedPoint& point, const Json& axes) {
  std::string text = fmt::format("n={} m={}", point.n, point.m);
  for (const std::string& name : axes_apart(point, axes))
    text += fmt::format(" {}={}", name, axis_text(point.axes[name]));
  return text;
}

Case make_case(const Variant& variant, const Cell& cell, const ChosenParameters& parameters,
               const InputSizes& sizes, const std::string& input_refusal, const Devices& devices) {
  const Device& device = devices.of(variant);
  Case c{&variant, device.name(), cell.input, parameters.values, parameters.tuned, nullptr, {}, {}, sizes};
  c.refusal = variant_refusal(c, *cell.problem, devices);
  if (c.refusal.empty()) c.refusal = parameters.refusal;
  if (c.refusal.empty()) c.refusal = input_refusal;
  if (!c.refusal.empty()) return c;
  c.instance = variant.instance(device.target(), cell.input.type, cell.input.op);
  c.refusal = footprint_refusal(c, devices);
  if (!c.refusal.empty()) c.instance = nullptr;
  return c;
}

/// Every combination of the values of the axes that `takes_part` picks, the first axis slowest.
template <class TakesPart, class Visit>
void for_each_combination(const Experiment& experiment, const TakesPart& takes_part, const Visit& visit) {
  std::vector<const std::pair<std::string, std::vector<Json>>*> axes;
  for (const auto& axis : experiment.axes)
    if (takes_part(axis.first)) axes.push_back(&axis);
  std::vector<std::size_t> at(axes.size(), 0);
  for (;;) {
    Json combination = Json::object();
    for (std::size_t i = 0; i < axes.size(); ++i) combination[axes[i]->first] = axes[i]->second[at[i]];
    visit(combination);
    std::size_t i = axes.size();
    while (i > 0 && ++at[i - 1] == axes[i - 1]->second.size()) at[--i] = 0;
    if (i == 0) return;
  }
}

/// The config has checked that there is such a name.
template <class Enum, class Names>
Enum by_name(const Names& names, const Json& name) {
  return Enum(std::find(names.begin(), names.end(), name.get_ref<const std::string&>()) - names.begin());
}

InputSpec make_input(const Problem& problem, const Json& values, std::uint64_t seed) {
  InputSpec input;
  input.type = by_name<Type>(type_names, values.at("type"));
  input.op = by_name<Operator>(operator_names, values.at("operator"));
  input.n = values.at("n").get<Index>();
  input.seed = seed;
  for (const ProblemAxis& axis : problem.axes) {
    const Json& value = values.contains(axis.name) ? values[axis.name] : axis.fallback;
    if (!axis.left_out_at_default || value != axis.fallback) input.axes[axis.name] = value;
  }
  input.pair = problem.pair(input.type, input.op, input.axes.value("accumulator", ""));
  return input;
}

Parameters make_parameters(const Card& card, const Json& values) {
  Parameters parameters;
  for (const Parameter& parameter : parameters_of(card)) {
    const std::string name(parameter.name);
    parameters.emplace_back(name, values.contains(name) ? values[name].get<Index>() : parameter.fallback);
  }
  return parameters;
}

/// All that makes an input.
std::string input_key(const Cell& cell) {
  return fmt::format("{} {} {} {} {}", cell.problem->name, name_of(cell.input.type), name_of(cell.input.op),
                     cell.input.n, cell.input.axes.dump());
}

class Planner {
 public:
  Planner(const Config& config, const Devices& devices, bool checked)
      : config_(config), devices_(devices), checked_(checked) {}

  Plan plan() {
    for (const Experiment& experiment : config_.experiments) {
      const Problem& problem = *find_problem(experiment.problem);
      for_each_combination(
          experiment, [&](const std::string& name) { return is_input_axis(problem, name); },
          [&](const Json& values) { add_cell(experiment, problem, values); });
    }
    if (!any_pair_)
      throw UsageError(
          fmt::format("{}: $.experiments: no case remains, as {} has none of these types and operators: {}",
                      config_.path, config_.experiments[0].problem, first_refusal_));
    for (Cell& cell : plan_.cells)
      for (std::size_t i = 0; i < cell.cases.size(); ++i) cell.cases[i].number = i;
    return std::move(plan_);
  }

 private:
  void add_cell(const Experiment& experiment, const Problem& problem, const Json& values) {
    Cell cell{&problem, make_input(problem, values, config_.seed), {}};
    InputSizes sizes;
    std::string input_refusal;
    if (cell.input.pair) {
      any_pair_ = true;
      try {
        sizes = problem.sizes(cell.input);
      } catch (const Refusal& refusal) {
        input_refusal = refusal.what();
      } catch (const UsageError& error) {
        input_refusal = error.what();
        if (checked_)
          throw UsageError(fmt::format("{}: {} n={} type={} operator={}: {}", config_.path, problem.name,
                                       cell.input.n, name_of(cell.input.type), name_of(cell.input.op),
                                       error.what()));
      }
    }
    for (const std::string& name : experiment.variants)
      add_cases(*find_variant(problem.name + "/" + name), experiment, sizes, input_refusal, cell);
    if (!cell.cases.empty()) add(std::move(cell));
  }

  /// Cases of one input are sampled in the same rounds, whichever experiments ask for them.
  void add(Cell cell) {
    const auto [place, is_new] = places_.emplace(input_key(cell), plan_.cells.size());
    if (is_new) plan_.cells.push_back(std::move(cell));
    else std::ranges::move(cell.cases, std::back_inserter(plan_.cells[place->second].cases));
  }

  void add_cases(const Variant& variant, const Experiment& experiment, const InputSizes& sizes,
                 const std::string& input_refusal, Cell& cell) {
    for (const ChosenParameters& parameters : parameters_for(variant, experiment, cell.input, sizes)) {
      Case c = make_case(variant, cell, parameters, sizes, input_refusal, devices_);
      if (first_refusal_.empty()) first_refusal_ = c.refusal;
      if (keys_.insert(c.key()).second)
        cell.cases.push_back(std::move(c));  // once, though two experiments ask
    }
  }

  std::vector<ChosenParameters> parameters_for(const Variant& variant, const Experiment& experiment,
                                               const InputSpec& input, const InputSizes& sizes) const {
    std::vector<ChosenParameters> all;
    const bool has_some = !parameters_of(variant.card).empty();
    for (const ParametersFrom from : experiment.parameters)
      if (from == ParametersFrom::tuned && has_some && &devices_.of(variant) == &devices_.kernels)
        all.push_back(tuned_parameters(variant, input, sizes));
      else
        for_each_combination(
            experiment,
            [&](const std::string& name) { return find_parameter(variant.card, name) != nullptr; },
            [&](const Json& values) { all.push_back({make_parameters(variant.card, values)}); });
    return all;
  }

  ChosenParameters tuned_parameters(const Variant& variant, const InputSpec& input,
                                    const InputSizes& sizes) const {
    const TunedPoint here = point_of(variant, input, sizes);
    const TunedPoint* const nearest = config_.tuned ? config_.tuned->nearest(here) : nullptr;
    if (!nearest)
      return {make_parameters(variant.card, Json::object()), "", not_tuned(variant, devices_.kernels)};
    return {make_parameters(variant.card, nearest->parameters),
            fmt::format("{} of {:.16}", text_of(*nearest, here.axes), config_.tuned->sha256),
            unknown_parameter(variant, *nearest)};
  }

  const Config& config_;
  const Devices& devices_;
  const bool checked_;  // throws where an input cannot be; else its cases are refused
  Plan plan_;
  std::map<std::string, std::size_t> places_;  // of each input's cell
  std::set<std::string> keys_;
  bool any_pair_ = false;
  std::string first_refusal_;
};

}  // namespace

std::string Case::key() const {
  std::string text = fmt::format("{} n={} type={} operator={}", variant->name, input.n, name_of(input.type),
                                 name_of(input.op));
  for (const auto& [name, value] : input.axes.items()) text += fmt::format(" {}={}", name, axis_text(value));
  for (const auto& [name, value] : parameters) text += fmt::format(" {}={}", name, value);
  if (tuned) text += " parameters=tuned";
  return text;
}

std::string axis_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_object() || value.size() != 1 || !value.front().is_string()) return value.dump();
  const auto member = value.begin();
  const std::string path = member->get<std::string>();
  return member.key() == "file" ? path : member.key() + ":" + path;
}

std::size_t Case::device_bytes() const {
  return input_bytes(sizes) + sizes.result + footprint.scratch_bytes();
}

std::size_t Plan::cases() const {
  std::size_t count = 0;
  for (const Cell& cell : cells) count += cell.cases.size();
  return count;
}

std::size_t Plan::refused() const {
  std::size_t count = 0;
  for (const Cell& cell : cells)
    count += std::size_t(
        std::ranges::count_if(cell.cases, [](const Case& c) { return !c.refusal.empty() && !c.is_mistake; }));
  return count;
}

std::size_t Plan::runnable() const {
  std::size_t count = 0;
  for (const Cell& cell : cells)
    count += std::size_t(std::ranges::count(cell.cases, std::string(), &Case::refusal));
  return count;
}

std::size_t Plan::peak_bytes() const {
  std::size_t most = 0;
  for (const Cell& cell : cells)
    for (const Case& c : cell.cases)
      if (c.refusal.empty()) most = std::max(most, c.device_bytes());
  return most;
}

TunedPoint point_of(const Variant& variant, const InputSpec& input, const InputSizes& sizes) {
  TunedPoint point{.variant = variant.name,
                   .type = std::string(name_of(input.type)),
                   .op = std::string(name_of(input.op)),
                   .n = input.n,
                   .m = sizes.m,
                   .parameters = {}};
  for (const auto& [name, value] : input.axes.items()) point.axes[name] = value;
  return point;
}

Plan make_plan(const Config& config, const Devices& devices) { return Planner(config, devices, true).plan(); }

Plan replan(const Config& config, const Devices& devices) { return Planner(config, devices, false).plan(); }

}  // namespace redbench
