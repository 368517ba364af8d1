#include "src/why/why.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/config/axes.hpp"
#include "src/error.hpp"
#include "src/records/columns.hpp"
#include "src/registry.hpp"
#include "src/run/run_tasks.hpp"

namespace redbench {
namespace {

constexpr Index counted_n = Index(1) << 20;

const Variant& kernel_named(const std::string& name) {
  const Variant* const variant = find_variant(name);
  if (!variant) throw UsageError(name + ": there is no such variant" + nearest_variant(name));
  if (variant->on_host()) throw UsageError(name + ": a CPU algorithm has no kernel to count");
  return *variant;
}

/// The value of an axis among "NAME=VALUES"; null where it is not given.
const std::string* given(const std::vector<std::string>& axes, const std::string& name) {
  for (const std::string& axis : axes)
    if (axis.starts_with(name + "=")) return &axis;
  return nullptr;
}

/// What the modelled device counts of one variant.
Record counted(const Variant& variant, const Request& asked) {
  Job job{.kind = Job::Kind::profile, .request = asked};
  job.request.config = variant.name;
  const Work work = make_work(job);
  if (work.devices->kernels->target() != Target::simt)
    throw UsageError("redbench why counts on a modelled device: -d simt, -d simt:gtx480; this is " +
                     work.devices->kernels->name());
  if (work.plan.cases() != 1)
    throw UsageError(
        fmt::format("{}: {} cases; two kernels are compared on one input", variant.name, work.plan.cases()));
  check_runnable(work);
  Record record;
  const bool ended = run_tasks(work, {{0, {{0, work.config.measure.modes.front()}}}}, 1, false,
                               [&](std::size_t, Record made) { record = std::move(made); });
  if (!ended) throw UsageError("interrupted");
  if (record["outcome"] != name_of(Outcome::passed))
    throw UsageError(fmt::format("{}: {}: {}", variant.name, record["outcome"].get<std::string>(),
                                 record["reason"].is_string() ? record["reason"].get<std::string>() : ""));
  return record;
}

/// Where no type or operator is asked for, the second kernel is counted on those of the first.
Request on_the_input_of(const Record& first, Request asked) {
  for (const char* axis : {"type", "operator"})
    if (!given(asked.overrides.axes, axis))
      asked.overrides.axes.push_back(fmt::format("{}={}", axis, first[axis].get<std::string>()));
  return asked;
}

Json case_of(const Record& record) {
  Json input{{"device", record["device"]},
             {"n", record["n"]},
             {"type", record["type"]},
             {"operator", record["operator"]}};
  input.update(record["axes"]);
  return input;
}

KernelStep step_of(const Record& from, const Record& to, const WhyOptions& options, Index n) {
  KernelStep step{from["variant"], to["variant"], case_of(from)};
  step.times = timed_pairs(options.results, step.from, step.to, n);
  step.counters = counted_differences(from, to);
  step.launches = launch_differences(from, to);
  step.sentences = sentences_of(step);
  return step;
}

/// As -a has it. Values that are files have no short form: the problem's default stands for them.
void add_axis(const std::string& name, const Json& value, std::vector<std::string>& axes) {
  if (given(axes, name)) return;
  if (value.is_string()) axes.push_back(name + "=" + value.get<std::string>());
  else if (value.is_number()) axes.push_back(name + "=" + value.dump());
}

/// The largest n of a config that is counted in a second or two; 2^20 where all are larger.
Json n_to_count(const std::vector<Json>& values) {
  Index largest = 0;
  for (const Json& value : values)
    if (value.get<Index>() <= counted_n) largest = std::max(largest, value.get<Index>());
  return largest ? largest : counted_n;
}

Request request_of(const Experiment& experiment, const Variant& variant, Request asked) {
  const Problem& problem = *find_problem(experiment.problem);
  for (const auto& [name, values] : experiment.axes) {
    if (is_input_axis(problem, name) || find_parameter(variant.card, name))
      add_axis(name, name == "n" ? n_to_count(values) : values.front(), asked.overrides.axes);
  }
  return asked;
}

}  // namespace

KernelStep why(const std::string& from, const std::string& to, const WhyOptions& options) {
  const Variant &first = kernel_named(from), &second = kernel_named(to);
  if (first.problem != second.problem)
    throw UsageError(fmt::format("{} and {} solve different problems, {} and {}", from, to, first.problem,
                                 second.problem));
  const Record counted_first = counted(first, options.request);
  const Record counted_second = counted(second, on_the_input_of(counted_first, options.request));
  const Index n = given(options.request.overrides.axes, "n") ? counted_first["n"].get<Index>() : 0;
  return step_of(counted_first, counted_second, options, n);
}

std::vector<KernelStep> steps_of_config(const std::string& config, const WhyOptions& options) {
  const Target target = OpenDevices(options.request.device).kernels->target();
  const Config read = load_config(config, target, {}, record_columns());
  std::vector<KernelStep> steps;
  for (const Experiment& experiment : read.experiments) {
    std::optional<Record> before;
    for (const std::string& name : experiment.variants) {
      const Variant& variant = *find_variant(experiment.problem + "/" + name);
      if (!variant.first_taken(Target::simt)) continue;
      Record here = counted(variant, request_of(experiment, variant, options.request));
      if (before) steps.push_back(step_of(*before, here, options, 0));
      before = std::move(here);
    }
  }
  if (steps.empty())
    throw UsageError(config + ": no experiment has two kernels, whose difference could be counted");
  return steps;
}

}  // namespace redbench
