#include "src/predict/prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>

#include "src/error.hpp"
#include "src/tables/published.hpp"

namespace redbench {
namespace {

Index parameter_of(const Case& one, std::string_view name) {
  const auto found = std::ranges::find(one.parameters, name, [](const auto& pair) { return pair.first; });
  if (found == one.parameters.end())
    throw UsageError(
        fmt::format("a presorted loop has the parameter `{}`, which {} has not", name, one.variant->name));
  return found->second;
}

/// By the rule of the parameters' texts (kernels/parts/partial_radix_sort.hpp): 0 bits from the threshold on
/// are all but 18.
int sort_bits_of(const Case& one, Index m) {
  const int all = std::bit_width(std::uint64_t(m - 1));
  const Index asked = parameter_of(one, "sort_bits");
  const bool sorts = m >= Index(1) << parameter_of(one, "threshold_log2");
  return int(std::min<Index>(all, asked > 0 ? asked : sorts ? all - 18 : 0));
}

template <class Enum, class Names>
Enum known(const std::string& what, const std::string& name, const Names& names) {
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

/// The ns per input of the case in the first mode that has one; a stored run keeps the last record of each.
std::optional<double> measured(const StoredRun& run, const std::string& key) {
  for (const Record& record : run.records)
    if (record["key"] == key && record["ns_per_input"].is_number())
      return record["ns_per_input"].get<double>();
  return {};
}

std::optional<double> printed(const std::vector<PublishedNumber>& numbers, const std::string& device,
                              const Record& record) {
  for (const PublishedNumber& number : numbers)
    if (number.device == device && number.field->name == std::string_view("ns_per_input") &&
        (number.relation == "=" || number.relation == "~") && number.is_of(record))
      return number.value;
  return {};
}

/// One prediction, still to be made.
struct Task {
  PredictedCase* of;
  const caches::Machine* machine;
};

void run_tasks(std::vector<Task>& tasks, std::uint64_t steps) {
  std::exception_ptr failure;
#pragma omp parallel for schedule(dynamic, 1)
  for (std::size_t i = 0; i < tasks.size(); ++i) try {
      PredictedCase& one = *tasks[i].of;
      const auto model =
          one.model == CacheModel::overlapped ? caches::Model::overlapped : caches::Model::serial;
      one.prediction = caches::predict(*tasks[i].machine, model, one.loop, steps);
    } catch (...) {
#pragma omp critical
      failure = std::current_exception();
    }
  if (failure) std::rethrow_exception(failure);
}

/// What the model would have to know of the machine; empty where that is known.
std::string lacking(const caches::Machine& machine, CacheModel model) {
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
  return 100 * (prediction.ns_per_input() / *measured_ns - 1);
}

caches::Loop loop_of(const Case& one, LoopKind kind) {
  const Json& axes = one.input.axes;
  caches::Loop loop;
  loop.problem = known<caches::Problem>("problem", one.variant->problem, caches::problem_names);
  loop.labels = known<caches::Labels>("labels", text_of(axes, "labels"), caches::labels_names);
  loop.n = std::uint64_t(one.input.n);
  loop.m = std::uint64_t(one.sizes.m);
  if (loop.n == 0) throw UsageError("the simulator has no loop without inputs");
  loop.value_bytes = unsigned(one.input.pair->value->bytes);
  loop.dependent = kind == LoopKind::dependent || kind == LoopKind::dependent_presorted;
  if (kind == LoopKind::presorted || kind == LoopKind::dependent_presorted) {
    loop.sort_bits = sort_bits_of(one, one.sizes.m);
    loop.digit_bits = int(parameter_of(one, "digit_bits"));
    if (loop.problem == caches::Problem::gather) throw UsageError("the simulator has no gather after a sort");
  }
  return loop;
}

Predictions predict(const Config& config, const Plan& plan, const std::vector<MachineFile>& machines,
                    const StoredRun* run) {
  const CachesOptions& options = *config.caches;
  const std::vector<PublishedNumber> numbers = published_for(config.name);
  Predictions all;
  const std::unique_ptr<Device> host = make_host();
  for (const Cell& cell : plan.cells)
    for (const Case& one : cell.cases) {
      const auto kind = options.loops.find(one.variant->short_name);
      if (kind == options.loops.end()) {
        all.left_out.push_back(fmt::format("{}: not among the config's `loops`", one.variant->name));
        continue;
      }
      if (!one.refusal.empty()) {
        all.left_out.push_back(fmt::format("{}: {}", one.key(), one.refusal));
        continue;
      }
      caches::Loop loop;
      try {
        loop = loop_of(one, kind->second);
      } catch (const UsageError& error) {
        all.left_out.push_back(fmt::format("{}: {}", one.key(), error.what()));
        continue;
      }
      const Record record = case_record(cell, one, *host, Mode::cold, Outcome::passed);
      for (const MachineFile& file : machines)
        for (const CacheModel model : options.models) {
          if (const std::string lacks = lacking(file.machine, model); !lacks.empty()) {
            all.left_out.push_back(lacks);
            continue;
          }
          PredictedCase predicted{&one, one.key(), file.machine.name, model, loop, {}, {}};
          if (model != CacheModel::serial)
            predicted.loop.page_bytes =
                caches::page_bytes_of(file.machine, one.variant->card.pages == Pages::huge);
          if (!file.published_as.empty()) predicted.measured_ns = printed(numbers, file.published_as, record);
          else if (run) predicted.measured_ns = measured(*run, predicted.key);
          all.cases.push_back(std::move(predicted));
        }
    }
  std::ranges::sort(all.left_out);
  const auto again = std::ranges::unique(all.left_out);
  all.left_out.erase(again.begin(), again.end());
  if (all.cases.empty())
    throw UsageError(fmt::format("{}: no case that could be predicted{}", config.path,
                                 all.left_out.empty() ? "" : ": " + all.left_out.front()));

  std::vector<Task> tasks;
  for (PredictedCase& one : all.cases)
    for (const MachineFile& file : machines)
      if (file.machine.name == one.machine) {
        tasks.push_back({&one, &file.machine});
        break;
      }
  run_tasks(tasks, std::uint64_t(options.steps));
  return all;
}

std::optional<double> mean_absolute_error(const Predictions& predictions, const std::string& machine,
                                          CacheModel model) {
  double sum = 0;
  int count = 0;
  for (const PredictedCase& one : predictions.cases)
    if (one.machine == machine && one.model == model && one.error_percent()) {
      sum += std::abs(*one.error_percent());
      ++count;
    }
  if (count == 0) return {};
  return sum / count;
}

}  // namespace redbench
