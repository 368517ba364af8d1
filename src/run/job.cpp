#include "src/run/job.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <chrono>
#include <filesystem>

#include "src/config/config.hpp"
#include "src/error.hpp"
#include "src/records/columns.hpp"
#include "src/registry.hpp"
#include "src/run/machine.hpp"
#include "src/simt/model.hpp"

namespace redbench {
namespace {

/// The config with counters switched on, named after its folder below results/DEVICE.
Config profiled_config(const Request& request, Target target) {
  if (target == Target::host) throw UsageError("the host counts nothing; -d simt does");
  Overrides overrides = request.overrides;
  overrides.sets.emplace_back("measure.counters=true");
  const Variant* const variant = find_variant(request.config);
  if (variant && variant->on_host())
    throw UsageError(variant->name + ": a CPU algorithm has no kernel to count");
  if (std::error_code error; !variant && !std::filesystem::exists(request.config, error)) {
    const bool is_config = request.config.ends_with(".json");
    throw UsageError(request.config + ": neither a variant nor a file" +
                     (is_config ? nearest_config(request.config) : nearest_variant(request.config)) +
                     "; redbench list names the variants");
  }
  Config config = variant ? variant_config(*variant, target, overrides, record_columns())
                          : load_config(request.config, target, overrides, record_columns());
  config.name = "profile/" + config.name;
  return config;
}

/// OpenMP crashes with too many threads: it keeps data of each on the stack.
void check_thread_count(int cores) {
  const int most = std::max(1024, 4 * cores), asked = omp_get_max_threads();
  if (asked > most || asked < 1)
    throw UsageError(fmt::format(
        "OMP_NUM_THREADS: {} threads; 1 to {} are allowed on this machine's {} cores", asked, most, cores));
}

Work open_work(Job::Kind kind, const std::string& device, int schedules, bool races) {
  Work work;
  work.kind = kind;
  work.schedules = schedules;
  work.races = races;
  work.devices = std::make_unique<OpenDevices>(device, SimtOptions{.races = races});
  check_thread_count(work.devices->devices().host.facts().multiprocessors);
  return work;
}

/// Fills what follows from config and battery. `plan`: make_plan or replan.
void plan_work(Work& work, Plan (*plan)(const Config&, const Devices&)) {
  if (work.kind == Job::Kind::verify) {
    plan_battery(work.battery, work.schedules, work);
  } else {
    work.plan = plan(work.config, work.devices->devices());
    work.schedule_seeds.assign(work.plan.cells.size(), 0);
  }
  work.options.measure = work.config.measure;
  work.options.timing = work.kind == Job::Kind::run;
}

}  // namespace

Work make_work(const Job& job) {
  const auto begun = std::chrono::steady_clock::now();
  Work work = open_work(job.kind, job.request.device, job.schedules, job.races);
  if (const std::string why = why_not_shared(work.devices->boards); !why.empty())
    throw UsageError(fmt::format("device `{}`: {}", job.request.device, why));
  if (const int processes = job.request.processes; processes > 1) {
    if (processes > work.devices->gpus)
      throw UsageError(fmt::format("device `{}`: names {} GPUs, and {} processes share the run, one for each",
                                   job.request.device, work.devices->gpus, processes));
    work.devices->gpus = work.devices->processes = processes;
  }
  const Device& kernels = *work.devices->kernels;
  if (job.kind == Job::Kind::verify) {
    if (job.races && kernels.target() != Target::simt)
      throw UsageError("--races checks accesses on the modelled device: --device simt; this is " +
                       kernels.name());
    if (job.breadth == Breadth::small && kernels.target() == Target::host)
      throw UsageError(
          "--small is of kernels alone, which need a GPU or a modelled one: --device cuda, simt");
    work.battery = make_battery(job.request.overrides.variants, job.breadth, work.devices->devices());
  } else {
    const Request& asked = job.request;
    work.config = job.kind == Job::Kind::profile
                      ? profiled_config(asked, kernels.target())
                      : load_config(asked.config, kernels.target(), asked.overrides, record_columns());
    use_tuned(work.config, asked.tuned, kernels);
    work.inputs = InputFiles(work.config.experiments);
  }
  plan_work(work, make_plan);
  if (work.devices->processes > 1 && work.config.measure.forks > 1)
    throw UsageError(
        "measure.forks: 1 where a process for each GPU shares the run, as others cannot be started");
  work.until = job.until;
  work.shard = job.request.shard;
  work.chosen = cells_of_shard(work.shard, work.plan, work.config.measure, work.options.timing);
  // A worker opens the same devices and makes the same plan, on a machine that may be busier. A battery's
  // short limit is for its small kernels alone: its inputs and references have the usual one.
  const double planning_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  const MeasureOptions usual;
  const double hang_s = (job.kind == Job::Kind::verify ? usual : work.config.measure).hang_s;
  work.idle_s = hang_s + 10 + 10 * planning_s;
  return work;
}

void check_runnable(const Work& work) {
  std::string first;
  for (const Cell& cell : work.plan.cells)
    for (const Case& case_ : cell.cases)
      for (const Mode mode : modes_of(case_, work)) {
        const std::string why = why_refused(case_, mode, work.device_of(case_), work.options);
        if (why.empty() || case_.is_mistake) return;
        if (first.empty()) first = fmt::format("{}: {}", case_.variant->name, why);
      }
  const std::size_t cases = work.plan.cases();
  throw UsageError(
      cases == 1 ? fmt::format("nothing can run: the one case is refused, {}", first)
                 : fmt::format("nothing can run: all {} cases are refused, the first, {}", cases, first));
}

Json to_json(const Work& work) {
  Json json{{"kind", int(work.kind)},
            {"device", work.devices->kernels->name()},
            {"model", simt::text_of_model(work.devices->kernels->facts().name)},
            {"schedules", work.schedules},
            {"gpus", work.devices->gpus},
            {"processes", work.devices->processes},
            {"races", work.races}};
  if (work.kind == Job::Kind::verify) {
    json["battery"] = work.battery;
  } else {
    json["path"] = work.config.path;
    json["name"] = work.config.name;
    json["config"] = work.config.resolved;
    json["inputs"] = work.inputs.digests();
  }
  return json;
}

Work deserialize_work(const Json& json) {
  // The model's file may have changed since the parent read it.
  const std::string device = json["device"], model = json["model"];
  if (!model.empty()) simt::register_model(device.substr(device.find(':') + 1), model);
  Work work = open_work(Job::Kind(json["kind"].get<int>()), device, json["schedules"], json["races"]);
  work.devices->gpus = json["gpus"];
  work.devices->processes = json["processes"];
  if (work.kind == Job::Kind::verify) {
    work.battery = json["battery"];
  } else {
    work.config = deserialize_config(json["path"], json["name"], json["config"]);
    work.inputs = InputFiles(json["inputs"]);
  }
  plan_work(work, replan);
  return work;
}

}  // namespace redbench
