#include "src/cachesim/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>

#include "src/config/shape.hpp"
#include "src/error.hpp"
#include "src/tables/published.hpp"
#include "src/text/nearest.hpp"
#include "src/text/progress_line.hpp"

namespace redbench {
namespace {

Index parameter_of(const Case& case_, std::string_view name) {
  const auto found = std::ranges::find(case_.parameters, name, [](const auto& pair) { return pair.first; });
  if (found == case_.parameters.end())
    throw UsageError(
        fmt::format("a presorted loop has the parameter `{}`, which {} has not", name, case_.variant->name));
  return found->second;
}

/// As the parameters' descriptions say (kernels/parts/partial_radix_sort.hpp): sort_bits 0 means all but 18
/// bits from the threshold on, and none below it.
int sort_bits_of(const Case& case_, Index m) {
  const int all = std::bit_width(std::uint64_t(m - 1));
  const Index asked = parameter_of(case_, "sort_bits");
  const bool sorts = m >= Index(1) << parameter_of(case_, "threshold_log2");
  return int(std::min<Index>(all, asked > 0 ? asked : sorts ? all - 18 : 0));
}

template <class Enum, class Names>
Enum enum_of(const std::string& what, const std::string& name, const Names& names) {
  const auto found = std::ranges::find(names, name);
  if (found == std::end(names))
    throw UsageError(
        fmt::format("the simulator has no {} `{}`: {}", what, name, alternatives(strings(names))));
  return Enum(found - std::begin(names));
}

std::string text_of(const Json& axes, const char* name) {
  return axes.contains(name) && axes[name].is_string() ? axes[name].get<std::string>()
                                                       : axes.value(name, Json()).dump();
}

/// The ns per input of the case in the first mode that has a time.
std::optional<double> measured_ns(const StoredRun& run, const std::string& key) {
  for (const Record& record : run.records)
    if (record["key"] == key && record["ns_per_input"].is_number())
      return record["ns_per_input"].get<double>();
  return {};
}

std::optional<double> published_ns(const std::vector<PublishedNumber>& numbers, const std::string& device,
                                   const Record& record) {
  for (const PublishedNumber& number : numbers)
    if (number.device == device && number.field->name == std::string_view("ns_per_input") &&
        (number.relation == "=" || number.relation == "~") && number.is_of(record))
      return number.value;
  return {};
}

/// Simulates all cases on all cores.
void simulate_all(std::vector<PredictedCase>& cases, const std::vector<cachesim::Machine>& machines,
                  std::uint64_t steps) {
  std::exception_ptr failure;
  Steps progress("simulating accesses", double(cases.size()));
  std::size_t done = 0;
#pragma omp parallel for schedule(dynamic, 1)
  for (PredictedCase& predicted : cases) try {
      const auto timing =
          predicted.model == CacheModel::overlapped ? cachesim::Timing::overlapped : cachesim::Timing::serial;
      const auto machine = std::ranges::find(machines, predicted.machine, &cachesim::Machine::name);
      predicted.simulated = cachesim::simulate(*machine, timing, predicted.loop, steps);
#pragma omp critical
      progress.done(double(++done));
    } catch (...) {
#pragma omp critical
      failure = std::current_exception();
    }
  if (failure) std::rethrow_exception(failure);
}

/// Why a model cannot predict for a machine; empty where it can.
std::string why_not_by(const cachesim::Machine& machine, CacheModel model) {
  const std::string_view name = cache_model_names[std::size_t(model)];
  if (model != CacheModel::serial && machine.translations.empty())
    return fmt::format("{}: `{}` needs its `translations`", machine.name, name);
  if (model == CacheModel::overlapped && !has_core(machine))
    return fmt::format("{}: `{}` needs its `core`", machine.name, name);
  return {};
}

}  // namespace

std::optional<double> PredictedCase::error_percent() const {
  if (!measured_ns || *measured_ns <= 0) return {};
  return 100 * (simulated.ns_per_input() / *measured_ns - 1);
}

cachesim::Loop loop_of(const Case& case_, LoopKind kind) {
  const Json& axes = case_.input.axes;
  cachesim::Loop loop;
  loop.problem =
      enum_of<cachesim::LoopProblem>("problem", case_.variant->problem, cachesim::loop_problem_names);
  loop.labels = enum_of<cachesim::LabelDistribution>("labels", text_of(axes, "labels"),
                                                     cachesim::label_distribution_names);
  loop.n = std::uint64_t(case_.input.n);
  loop.m = std::uint64_t(case_.sizes.m);
  if (loop.n == 0) throw UsageError("the simulator has no loop without inputs");
  loop.value_bytes = unsigned(case_.input.pair->value->bytes);
  loop.dependent = kind == LoopKind::dependent || kind == LoopKind::dependent_presorted;
  if (kind == LoopKind::presorted || kind == LoopKind::dependent_presorted) {
    loop.sort_bits = sort_bits_of(case_, case_.sizes.m);
    loop.digit_bits = int(parameter_of(case_, "digit_bits"));
    if (loop.problem == cachesim::LoopProblem::gather)
      throw UsageError("the simulator has no gather after a sort");
  }
  return loop;
}

Predictions predict(const Config& config, const Plan& plan, const std::vector<cachesim::Machine>& machines,
                    const StoredRun* run) {
  const CachesOptions& options = *config.caches;
  const std::vector<PublishedNumber> numbers = published_for(config.name);
  Predictions all;
  const std::unique_ptr<Device> host = make_host();
  for (const Cell& cell : plan.cells)
    for (const Case& case_ : cell.cases) {
      const auto kind = options.loops.find(case_.variant->short_name);
      if (kind == options.loops.end()) {
        all.left_out.insert(fmt::format("{}: not among the config's `loops`", case_.variant->name));
        continue;
      }
      cachesim::Loop loop;
      try {
        if (!case_.refusal.empty()) throw UsageError(case_.refusal);
        loop = loop_of(case_, kind->second);
      } catch (const UsageError& error) {
        all.left_out.insert(fmt::format("{}: {}", case_.key(), error.what()));
        continue;
      }
      const Record record = case_record(cell, case_, *host, Mode::cold, Outcome::passed);
      for (const cachesim::Machine& machine : machines)
        for (const CacheModel model : options.models) {
          if (const std::string why = why_not_by(machine, model); !why.empty()) {
            all.left_out.insert(why);
            continue;
          }
          PredictedCase predicted{&case_, case_.key(), machine.name, model, loop, {}, {}};
          if (const auto& pages = machine.translations; model != CacheModel::serial)
            predicted.loop.page_bytes =
                (case_.variant->card.pages == Pages::huge ? pages.back() : pages.front()).page_bytes;
          if (!machine.published_as.empty())
            predicted.measured_ns = published_ns(numbers, machine.published_as, record);
          else if (run) predicted.measured_ns = measured_ns(*run, predicted.key);
          all.cases.push_back(std::move(predicted));
        }
    }
  if (all.cases.empty())
    throw UsageError(fmt::format("{}: no case that could be predicted{}", config.path,
                                 all.left_out.empty() ? "" : ": " + *all.left_out.begin()));

  simulate_all(all.cases, machines, std::uint64_t(options.steps));
  return all;
}

std::vector<MeanError> mean_errors(const Predictions& predictions) {
  std::vector<MeanError> errors;
  for (const PredictedCase& predicted : predictions.cases) {
    const std::optional<double> error = predicted.error_percent();
    if (!error) continue;
    auto mean = std::ranges::find_if(errors, [&](const MeanError& other) {
      return other.machine == predicted.machine && other.model == predicted.model;
    });
    if (mean == errors.end()) mean = errors.insert(mean, {predicted.machine, predicted.model});
    mean->percent += (std::abs(*error) - mean->percent) / ++mean->cases;
  }
  return errors;
}

}  // namespace redbench
