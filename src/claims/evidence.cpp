#include "src/claims/evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "src/claims/columns.hpp"
#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/json/strict.hpp"
#include "src/records/provenance.hpp"
#include "src/registry.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// Adds the cache simulator's predictions for the host that measured the run.
void add_predictions(EvidenceRun& run, const fs::path& file) {
  const Json predictions = read_json_file(file.string(), "predictions");
  std::map<std::string, Json> by_key;
  for (const Json& prediction : part_of(predictions, "cases"))
    if (const Json key = part_of(prediction, "key"), model = part_of(prediction, "model");
        key.is_string() && model.is_string() && part_of(prediction, "machine") == "host")
      by_key[key][model.get<std::string>()] = part_of(prediction, "ns_per_input");
  for (Record& record : run.run.records)
    if (const auto found = by_key.find(record["key"]); found != by_key.end())
      record[predicted_field] = found->second;
}

void add_levels(EvidenceRun& run, const fs::path& machine) {
  const Json device = part_of(run.run.facts, "device"), name = part_of(device, "name");
  if (name.is_string() && name != "host") {
    if (const Json bytes = part_of(device, "l2_bytes"); bytes.is_number() && bytes > 0)
      run.levels["L2"] = bytes.get<double>();
    return;
  }
  if (!is_file(machine)) return;
  const Json json = read_json_file(machine.string(), "a machine");
  for (const Json& level : part_of(json, "levels"))
    if (const Json of = part_of(level, "name"), bytes = part_of(level, "bytes");
        of.is_string() && bytes.is_number() && bytes > 0)
      run.levels[of] = bytes.get<double>();
}

/// Runs by path, and the GPU that each is of.
using GpusOfRuns = std::vector<std::pair<std::string, std::string>>;

/// The GPU whose runs lie nearest to a run of none; empty where none or several are as near.
std::string nearest_gpu(const fs::path& run, const GpusOfRuns& gpus) {
  std::set<std::string> near;
  for (fs::path at = run; near.empty() && at.has_relative_path(); at = at.parent_path())
    for (const auto& [other, gpu] : gpus)
      if (other.starts_with(at.string() + "/")) near.insert(gpu);
  return near.size() == 1 ? *near.begin() : "";
}

}  // namespace

Evidence::Evidence(const RunsBelow& below, const std::set<std::string>& configs) {
  for (const std::string& folder : below.self_tests) try {
      add_self_test(folder);
    } catch (const UsageError& error) {
      damaged_.emplace_back(error.what());
    }
  for (const std::string& path : below.runs) try {
      if (configs.contains(StoredRun{path, read_facts(path + "/run.json"), {}}.name())) read_run(path);
    } catch (const UsageError& error) {
      damaged_.emplace_back(error.what());
    }
}

Evidence::Evidence(std::list<EvidenceRun> runs, std::map<std::string, LeastDifference> least,
                   LeastAcross across)
    : runs_(std::move(runs)), least_(std::move(least)), across_(std::move(across)) {}

void Evidence::read_run(const std::string& folder) {
  EvidenceRun run{read_stored_run(folder), {}};
  damaged_.insert(damaged_.end(), run.run.bad_lines.begin(), run.run.bad_lines.end());
  const fs::path simulated = fs::path(folder) / "cachesim";
  if (is_file(simulated / "predictions.json")) add_predictions(run, simulated / "predictions.json");
  add_levels(run, simulated / "host.json");
  runs_.push_back(std::move(run));
}

/// A self-test is of one hardware; a stale one was made by other measuring code and is ignored.
void Evidence::add_self_test(const std::string& folder) {
  const std::optional<SelfTestReport> report = read_self_test(folder);
  if (!report || !report->within_a_run || !report->between_runs) return;
  const std::vector<Record>& records = report->run.records;
  if (std::ranges::any_of(records, [](const Record& record) { return !why_stale(record).empty(); })) return;
  const std::string hardware = records[0]["hardware"];
  least_.try_emplace(hardware, LeastDifference{folder, *report->within_a_run, *report->between_runs});
  across_.add(hardware, folder, report->across_machines);
}

std::vector<const EvidenceRun*> Evidence::runs_of(const std::string& config) const {
  std::vector<const EvidenceRun*> of;
  for (const EvidenceRun& run : runs_)
    if (run.run.name() == config) of.push_back(&run);
  return of;
}

const LeastDifference* Evidence::least_difference(const std::string& hardware) const {
  const auto found = least_.find(hardware);
  return found == least_.end() ? nullptr : &found->second;
}

std::set<std::string> Evidence::hardware() const {
  std::set<std::string> names;
  for (const EvidenceRun& run : runs_)
    for (const Record& record : run.run.records) names.insert(record["hardware"].get<std::string>());
  return names;
}

void Evidence::keep_hardware(const std::vector<std::string>& names) {
  const std::set<std::string> known = hardware();
  std::set<std::string> kinds;
  for (const std::string& name : names) {
    if (!known.contains(name)) {
      const std::vector<std::string> all(known.begin(), known.end());
      throw UsageError(fmt::format("--device {}: no record is of it{}; the records are of {}", name,
                                   nearest_match(name, all), all.empty() ? "nothing" : alternatives(all)));
    }
    for (const EvidenceRun& run : runs_)
      for (const Record& record : run.run.records)
        if (record["hardware"] == name)
          kinds.emplace(kind_of_device(record["device"].get_ref<const std::string&>()));
  }
  for (EvidenceRun& run : runs_)
    std::erase_if(run.run.records, [&](const Record& record) {
      const std::string hardware = record["hardware"];
      return kinds.contains(std::string(kind_of_device(record["device"].get_ref<const std::string&>()))) &&
             std::ranges::find(names, hardware) == names.end();
    });
}

std::vector<GpuEvidence> evidence_by_gpu(const std::vector<std::string>& folders,
                                         const std::set<std::string>& configs) {
  GpusOfRuns on_gpus;
  std::set<std::string> asked;                       // GPUs that have runs of the claims' configs
  std::vector<std::pair<std::string, bool>> others;  // and whether they are modelled
  const RunsBelow below = told_apart_below(folders);
  for (const std::string& run : below.runs) {
    Json device;
    bool is_asked = false;
    try {
      const StoredRun stored{run, read_facts(run + "/run.json"), {}};
      device = stored.facts["device"];
      is_asked = configs.contains(stored.name());
    } catch (const UsageError&) {  // Evidence says why
    }
    const Json name = part_of(device, "name"), gpu = part_of(device, "description");
    const std::string kind(name.is_string() ? kind_of_device(name.get_ref<const std::string&>()) : "");
    if (kind == "cuda" && gpu.is_string()) {
      on_gpus.emplace_back(run, gpu);
      if (is_asked) asked.insert(gpu.get<std::string>());
    } else others.emplace_back(run, kind == "simt");
  }
  std::erase_if(on_gpus, [&](const auto& run) { return !asked.contains(run.second); });
  std::vector<std::pair<std::string, std::vector<std::string>>> by_gpu;
  for (const auto& [run, gpu] : on_gpus) {
    auto of = std::ranges::find(by_gpu, gpu, [](const auto& entry) { return entry.first; });
    if (of == by_gpu.end()) of = by_gpu.insert(of, {gpu, {}});
    of->second.push_back(run);
  }
  std::vector<GpuEvidence> all;
  if (by_gpu.size() < 2) all.push_back({"", Evidence(below, configs)});
  else
    for (auto& [gpu, runs] : by_gpu) {
      const auto is_near = [&](const std::string& run) {
        const std::string near = nearest_gpu(run, on_gpus);
        return near.empty() || near == gpu;
      };
      RunsBelow of_gpu{runs, {}};
      for (const auto& [run, is_modelled] : others)
        if (is_modelled || is_near(run)) of_gpu.runs.push_back(run);
      for (const std::string& folder : below.self_tests)
        if (is_near(folder)) of_gpu.self_tests.push_back(folder);
      all.push_back({gpu, Evidence(of_gpu, configs)});
    }
  return all;
}

std::set<std::string> configs_of(const std::vector<Claim>& claims) {
  std::set<std::string> names;
  for (const Claim& claim : claims)
    for (const ClaimTest& test : claim.tests) names.insert(test.configs.begin(), test.configs.end());
  return names;
}

double least_difference_percent(const std::vector<std::string>& folders, const std::string& hardware) {
  try {
    if (const LeastDifference* const least = Evidence(folders, {}).least_difference(hardware))
      return 100 * least->within_a_run;
  } catch (const UsageError&) {  // no folder of runs
  }
  return 100 * usual_least_difference;
}

}  // namespace redbench
