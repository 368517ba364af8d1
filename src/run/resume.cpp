#include "src/run/resume.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "src/config/config.hpp"
#include "src/error.hpp"
#include "src/json/differences.hpp"
#include "src/json/node.hpp"
#include "src/json/parse.hpp"
#include "src/records/columns.hpp"
#include "src/records/mistakes.hpp"
#include "src/records/provenance.hpp"
#include "src/run/machine.hpp"
#include "src/run/planned_records.hpp"
#include "src/run/run_facts.hpp"

namespace redbench {
namespace {

constexpr const char* remedy = "; --replace removes that run, --out chooses another folder";

class EarlierRunReader {
 public:
  EarlierRunReader(const OutputFolder& folder, const Work& work, const Json& here)
      : folder_(folder), work_(work), there_(read_facts(folder.run_json())), here_(here) {}

  EarlierRun read() {
    check_device();
    const std::vector<Record> records = read_checked_records();
    if (part_of(there_, "merged") != true) check_threads(records);
    if (!may_have_machines(there_)) {
      if (work_.devices->boards.empty()) check_board();
      else if (is_of_one_host()) check_host();
      check_cpu(records);
    } else if (is_of_one_host()) {
      check_host();
      check_cpu(records);
    }
    check_seed_and_inputs();
    EarlierRun run{with_sessions(there_), records, not_read_.bad, keys_of(work_.plan, work_.inputs),
                   compare_measure(records)};
    std::vector<std::string> before = keys_of(earlier_plan(), InputFiles(digests()));
    if (!includes(run.keys, before)) {
      if (!includes(before, run.keys)) refuse_cases();
      run.keys = std::move(before);
    } else {
      run.facts["config"] = here_["config"];
      run.facts["title"] = here_["title"];
    }
    run.facts["inputs"].update(here_["inputs"]);
    for (const BadLine& line : not_read_.bad)
      report_mistake(fmt::format("{}; its case is measured again, and the line goes to {}", line.mistake,
                                 OutputFolder::unreadable_name));
    return run;
  }

 private:
  [[noreturn]] void refuse(const std::string& sentence) const {
    throw UsageError(folder_.path() + ": " + sentence + remedy);
  }

  void check_device() const {
    const Json& device = there_["device"];
    Json there = Json::object(), here = Json::object();
    for (const auto& [name, value] : here_["device"].items())
      // Another version of redbench may know more or fewer facts; how much memory a program sees the driver
      // decides.
      if (name != "memory_bytes" && device.contains(name)) {
        there[name] = device[name];
        here[name] = value;
      }
    if (there != here) refuse("its records are of another device: " + differences(there, here));
  }

  /// A run is of one board, so that its times may be held against each other. Older sessions do not name
  /// theirs.
  void check_board() const {
    const std::string gpu = work_.devices->kernels->bus_id();
    const Json here = board_facts(gpu, told_by_nvml(gpu));
    if (const Json there = hash_of_other_board(sessions_of(there_), here); !there.is_null())
      refuse(fmt::format(
          "its records are of another board of this model: the hash of its UUID is {} there, {} here",
          shortened(there), shortened(here["uuid_hash"])));
  }

  /// Of several GPUs of one host, whichever of them make the rest.
  bool is_of_one_host() const {
    return part_of(there_, "merged") != true &&
           std::ranges::none_of(sessions_of(there_), [](const Json& session) {
             return part_of(session, "shard").is_string() || part_of(session, "board").is_null();
           });
  }

  void check_host() const {
    const Json here = host_facts(work_.devices->devices().host, Json::object())["machine_hash"];
    for (const Json& session : sessions_of(there_))
      if (const Json there = machine_of(session, "host");
          there != here && !there.is_null() && !here.is_null())
        refuse(fmt::format("its records are of another host: the hash of its id is {} there, {} here",
                           shortened(there), shortened(here)));
  }

  std::vector<Record> read_checked_records() {
    if (!std::filesystem::exists(folder_.records())) return {};
    return read_records(folder_.records(), &not_read_, {.sessions = sessions_of(there_).size()});
  }

  void check_threads(const std::vector<Record>& records) const {
    for (const Record& record : records)
      if (has_other_threads(record))
        refuse(
            fmt::format("it has records of CPU algorithms with {} OpenMP threads, not {} (OMP_NUM_THREADS)",
                        shortened(record["openmp_threads"]), omp_get_max_threads()));
  }

  void check_cpu(const std::vector<Record>& records) const {
    const Device& host = work_.devices->devices().host;
    for (const Record& record : records)
      if (record["device"] == host.name() && record["hardware"] != host.facts().name)
        refuse(fmt::format("it has records of another CPU: {} there, {} here",
                           record["hardware"].get<std::string>(), host.facts().name));
  }

  /// By path, of what the earlier plan reads. An older run.json has none, and means what is there now.
  Json digests() const {
    Json digests = here_["inputs"];
    const Json inputs = part_of(there_, "inputs");
    for (const auto& [path, digest] : inputs.items()) {
      if (!digest.is_string())
        refuse(fmt::format("its run.json has, of the input {}, {} in place of a SHA-256", path,
                           shortened(digest)));
      digests[path] = digest;
    }
    return digests;
  }

  void check_seed_and_inputs() const {
    const Json seed = there_["config"].value("seed", Json());
    if (seed != work_.config.seed)
      refuse(fmt::format("its inputs are of another seed: {} there, {} here", shortened(seed),
                         work_.config.seed));
    const Json inputs = there_.value("inputs", Json::object());
    for (const auto& [path, digest] : here_["inputs"].items())
      if (inputs.is_object() && inputs.contains(path) && inputs[path] != digest)
        refuse(fmt::format("{} has changed since that run began: its SHA-256 is {} there, {} here", path,
                           shortened(inputs[path]), shortened(digest)));
  }

  /// What of `measure` differs from the sessions of the records; refuses what cannot be mixed.
  std::string compare_measure(const std::vector<Record>& records) const {
    const Json& here = work_.config.resolved["measure"];
    std::set<std::string> sentences;
    for (const Json& session : StoredRun{folder_.path(), there_, records}.sessions_used()) {
      Json there = here;
      const Json measure = part_of(session, "measure");
      for (const auto& [name, value] : measure.items())
        if (name != "mode" && here.contains(name)) there[name] = value;
      for (const auto& [name, value] : here.items()) {
        if (there[name] == value) continue;
        const std::string sentence =
            differences({{"measure", {{name, there[name]}}}}, {{"measure", {{name, value}}}});
        if (is_of_whole_run(name)) refuse("its records were made otherwise: " + sentence);
        sentences.insert(sentence);
      }
    }
    return fmt::format("{}", fmt::join(sentences, "; "));
  }

  Plan earlier_plan() const {
    try {
      return replan(stored_config(folder_.run_json() + ", its config", there_["config"], record_columns()),
                    work_.devices->devices());
    } catch (const UsageError& error) {
      throw UsageError(
          fmt::format("{}, so it is not known whether this resumes that run{}", error.what(), remedy));
    }
  }

  static bool includes(std::vector<std::string> all, std::vector<std::string> part) {
    std::ranges::sort(all);
    std::ranges::sort(part);
    return std::ranges::includes(all, part);
  }

  [[noreturn]] void refuse_cases() const {
    const auto cases_of = [](const Json& config) {
      const Json tuned = part_of(config, "tuned");
      return Json{{"experiments", part_of(config, "experiments")},
                  {"tuned", {{"path", part_of(tuned, "path")}, {"sha256", part_of(tuned, "sha256")}}}};
    };
    const Json there = cases_of(there_["config"]), here = cases_of(work_.config.resolved);
    refuse(fmt::format(
        "holds a run of {}; --resume continues it with its cases, a part of them, or more, but each of the two "
        "has some that the other lacks: {}",
        shown_config(there_), differences(there, here)));
  }

  const OutputFolder& folder_;
  const Work& work_;
  const Json there_;
  const Json& here_;
  NotRead not_read_;
};

}  // namespace

EarlierRun earlier_run(const OutputFolder& folder, const Work& work, const Json& facts) {
  return EarlierRunReader(folder, work, facts).read();
}

}  // namespace redbench
