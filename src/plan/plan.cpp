#include "src/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>

#include "src/config/axes.hpp"
#include "src/device/team.hpp"
#include "src/error.hpp"
#include "src/inputs/problem.hpp"
#include "src/plan/fault.hpp"
#include "src/reference/oracle.hpp"

namespace redbench {
namespace {

/// Device memory that a run takes besides a case's own: what is overwritten between cold samples, which is
/// twice the L2 (src/measure/cache_flush.hpp), as much as the L2 to spare, and what a GPU's runtime keeps.
std::size_t reserved_bytes(const Device& device) {
  if (device.target() != Target::cuda) return 0;
  return 3 * device.facts().l2_bytes + (std::size_t(256) << 20);
}

/// The type's name; empty for that of the values.
std::string accumulator_of(const InputSpec& input) { return input.axes.value("accumulator", ""); }

std::size_t input_bytes(const InputSizes& sizes) { return sizes.values + sizes.labels + sizes.offsets; }

std::string parameters_refusal(const Case& c) {
  for (const auto& [name, value] : c.parameters) {
    const Parameter& parameter = *find_parameter(c.variant->card, name);
    if (!takes(parameter, value))
      return fmt::format("takes {} from {}, not {}", name, range_of(parameter), value);
  }
  return {};
}

/// Why the variant cannot take the case at all, whatever its launches.
std::string variant_refusal(const Case& c, const Problem& problem, const Devices& devices) {
  const Device& device = devices.of(*c.variant);
  const InputSpec& input = c.input;
  const Card& card = c.variant->card;
  const std::string accumulator = accumulator_of(input);
  if (!input.pair)
    return fmt::format("{} has no {} of {}{}", problem.name, name_of(input.op), name_of(input.type),
                       accumulator.empty() ? "" : " accumulated in " + accumulator);
  if (const int gpus = gpus_of(input); gpus > 1 && c.variant->on_host())
    return fmt::format("is of the CPU, not of {} GPUs", gpus);
  else if (gpus > devices.gpus) return fmt::format("takes {} GPUs, this run has {}", gpus, devices.gpus);
  if (!c.variant->built_for(device.target())) {
    if (device.target() == Target::host) return "needs a GPU or a modelled one (-d cuda, -d simt)";
    return fmt::format("is not built for {}", target_names[std::size_t(device.target())]);
  }
  const Instance* const instance = c.variant->instance(device.target(), input.type, input.op);
  if (!instance) return fmt::format("is not built for {} of {}", name_of(input.op), name_of(input.type));
  if (!instance->run)
    return fmt::format("`{}` of {}: {}", name_of(input.op), name_of(input.type), instance->refusal);
  if (input.pair->accumulates && !card.narrow)
    return "gives a sum in the type of its values, not in " + accumulator;
  const int capability = device.facts().capability;
  if (capability > 0 && capability < card.minimum_capability)
    return fmt::format("needs compute capability {:.1f}, {} has {:.1f}", card.minimum_capability / 10.0,
                       device.facts().name, capability / 10.0);
  if (card.maximum_n > 0 && c.input.n > card.maximum_n)
    return fmt::format("takes n up to {}, not {}", card.maximum_n, c.input.n);
  if (card.maximum_m > 0 && c.sizes.m > card.maximum_m)
    return fmt::format("takes m up to {}, not {}", card.maximum_m, c.sizes.m);
  return parameters_refusal(c);
}

/// Where rounding may be as large as the answer, a wrong result would pass the check.
std::string rounding_refusal(const Case& c) {
  const Index terms = c.sizes.rounded_terms, chain = c.footprint.chain;
  if (rounding_error(*c.input.pair, terms, chain) < 1) return {};
  return fmt::format(
      "rounds {} times in a row in {}, which may lose the whole answer: no result could be checked{}",
      chain == 0 ? terms - 1 : std::min(chain, terms - 1), c.input.pair->result->name,
      chain == 0 ? " (no shorter chain is stated with Queue::chain)" : "");
}

std::string memory_refusal(const Case& c, const Devices& devices) {
  const Device& device = devices.of(*c.variant);
  const int gpus = gpus_of(c.input);
  const std::size_t inputs = ceil_div(input_bytes(c.sizes), std::size_t(gpus));
  std::size_t needed = inputs + c.sizes.result + c.footprint.scratch_bytes() + reserved_bytes(device);
  if (device.target() != Target::cuda)
    needed = needed * std::size_t(gpus) + inputs;  // the inputs as they were made lie in the same memory
  if (needed > device.free_bytes())
    return fmt::format("needs {} bytes, {} has {} free", needed, device.name(), device.free_bytes());
  // The host has the inputs, a copy of the result, and the oracle's state for each result. Where GPUs are several it has
  // a block of inputs at a time, and its states beside those of all.
  const std::size_t checked_with = std::size_t(c.sizes.m) * c.input.pair->oracle->state_bytes;
  const double in_a_block = std::min(1.0, double(inputs_at_once) / double(std::max<Index>(c.input.n, 1)));
  const std::size_t made =
      gpus > 1 ? std::size_t(in_a_block * double(input_bytes(c.sizes))) + checked_with : inputs;
  std::size_t of_host = made + c.sizes.result + checked_with + c.sizes.reference;
  if (device.target() != Target::cuda) of_host += needed - inputs;
  if (of_host > devices.host.free_bytes())
    return fmt::format("needs {} bytes of the host's memory, which has {} free", of_host,
                       devices.host.free_bytes());
  return {};
}

/// A mistake in a variant's `run`, with its file.
std::string mistake_of(const Case& c, const std::string& what) {
  return c.variant->source + ": `run` " + what;
}

/// What `run` asks for by mistake and no record can hold. A count below zero has wrapped.
std::string mistake_in_run(const Case& c, const Device& device) {
  constexpr std::size_t most_bytes = std::size_t(1) << 48;  // more than any device's memory
  const Footprint& asked = c.footprint;
  const auto mistake = [&](const std::string& what) { return mistake_of(c, what); };
  if (asked.chain < 0) return mistake(fmt::format("states a chain of {} operators; 0 or more", asked.chain));
  for (const std::size_t bytes : asked.scratch)
    if (bytes > most_bytes)
      return mistake(fmt::format("asks for {} bytes of scratch memory; 0 to 2^48", Index(bytes)));
  if (device.target() != Target::host && asked.launches.empty() && asked.library_calls.empty())
    return mistake("launches nothing while it is planned");
  for (const LaunchFacts& launch : asked.launches) {
    const Grid& grid = launch.grid;
    const auto of_launch = [&](const std::string& what) {
      return mistake(fmt::format("launches {} with {}", launch.kernel, what));
    };
    if (grid.blocks < 1) return of_launch(fmt::format("{} blocks; 1 to 2^31 - 1", grid.blocks));
    if (grid.threads < 1) return of_launch(fmt::format("blocks of {} threads; 1 or more", grid.threads));
    if (grid.shared_bytes > most_bytes)
      return of_launch(fmt::format("{} bytes of shared memory; 0 or more", Index(grid.shared_bytes)));
    for (const auto& [name, bytes] :
         {std::pair("bytes_read", grid.bytes_read), {"bytes_written", grid.bytes_written}})
      if (!std::isfinite(bytes) || bytes < 0)
        return of_launch(fmt::format("{} = {}; a number from 0", name, bytes));
  }
  return {};
}

/// Runs the case on a planning queue, which notes its launches and scratch memory, and checks them.
std::string footprint_refusal(Case& c, const Devices& devices) {
  Device& device = devices.of(*c.variant);
  CaseQueue queue(device, c.parameters, c.footprint);
  const int gpus = gpus_of(c.input);
  const RankScope first(Rank{0, gpus});  // which has the most inputs
  Operands operands;
  operands.n = part_of(c.input.n, 0, gpus).count;
  operands.m = c.sizes.m;
  operands.form = c.sizes.form;
  // A planning queue has no memory behind its pointers: code that reads there is a mistake of its author.
  std::string fault;
  try {
    fault = fault_in(c.variant->source + ": `run`", [&] { c.instance->run(queue, operands); });
    if (!fault.empty())
      fault = mistake_of(c, "ends with a signal while it is planned, when no memory is there: " + fault);
  } catch (const Refusal& refusal) {
    return refusal.what();
  } catch (const DeviceError& error) {
    return error.what();
  } catch (const std::exception& error) {
    fault = mistake_of(c, std::string("throws while it is planned: ") + error.what());
  }
  if (!fault.empty()) {
    c.footprint = {};
    return fault;
  }
  if (gpus > 1 && !first.was_asked()) return "is of one GPU";
  if (std::string mistake = mistake_in_run(c, device); !mistake.empty()) {
    c.footprint = {};
    return mistake;
  }
  for (const LaunchFacts& launch : c.footprint.launches)
    if (std::string refusal = launch_refusal(launch, device.facts()); !refusal.empty()) return refusal;
  if (std::string refusal = rounding_refusal(c); !refusal.empty()) return refusal;
  return memory_refusal(c, devices);
}

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
  input.pair = problem.pair(input.type, input.op, accumulator_of(input));
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

std::string launch_refusal(const LaunchFacts& launch, const DeviceFacts& facts) {
  const Grid& grid = launch.grid;
  constexpr Index most_blocks = (Index(1) << 31) - 1;
  if (grid.blocks > most_blocks)
    return fmt::format("a launch of {} blocks; a grid has 1 to 2^31 - 1", grid.blocks);
  if (grid.threads > facts.max_threads_per_block)
    return fmt::format("blocks of {} threads; {} allows 1 to {}", grid.threads, facts.name,
                       facts.max_threads_per_block);
  const std::size_t shared = grid.shared_bytes + launch.static_shared_bytes;
  if (shared > facts.shared_bytes_per_block)
    return fmt::format("{} bytes of shared memory per block; {} allows {}", shared, facts.name,
                       facts.shared_bytes_per_block);
  if (launch.resident_blocks < 1)
    return fmt::format("no block of {} threads fits a multiprocessor of {}: too {} {}", grid.threads,
                       facts.name, launch.limiter == "shared memory" ? "much" : "many", launch.limiter);
  if (grid.cooperative && grid.blocks > Index(facts.multiprocessors) * launch.resident_blocks)
    return fmt::format("{} blocks must be resident at once; {} holds {}", grid.blocks, facts.name,
                       Index(facts.multiprocessors) * launch.resident_blocks);
  return {};
}

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
