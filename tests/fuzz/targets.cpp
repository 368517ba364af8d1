#include "tests/fuzz/targets.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <numeric>

#include "src/cachesim/cachesim.hpp"
#include "src/claims/claim_file.hpp"
#include "src/config/config.hpp"
#include "src/device/devices.hpp"
#include "src/error.hpp"
#include "src/inputs/npy.hpp"
#include "src/json/parse.hpp"
#include "src/plan/plan.hpp"
#include "src/records/columns.hpp"
#include "src/records/provenance.hpp"
#include "src/records/stored_run.hpp"
#include "src/run/run_facts.hpp"
#include "src/simt/model.hpp"
#include "src/simt/occupancy.hpp"
#include "src/tables/run_tables.hpp"

namespace redbench {
namespace {

/// A file that is in memory alone, for what reads a path. One for the process and name: it is written anew
/// each time.
class MemoryFile {
 public:
  explicit MemoryFile(const char* name) : file_(memfd_create(name, MFD_CLOEXEC)) {}
  std::string path_of(std::string_view bytes) {
    if (ftruncate(file_, 0) != 0 || pwrite(file_, bytes.data(), bytes.size(), 0) != ssize_t(bytes.size()))
      std::abort();
    return "/proc/self/fd/" + std::to_string(file_);
  }

 private:
  int file_;
};

/// Cuts the first line off.
std::string_view take_line(std::string_view& bytes) {
  const std::size_t end = bytes.find('\n');
  const std::string_view line = bytes.substr(0, end);
  bytes.remove_prefix(end == bytes.npos ? bytes.size() : end + 1);
  return line;
}

Devices devices_of(Target target) {
  static OpenDevices modelled("simt"), host("host");
  return (target == Target::host ? host : modelled).devices();
}

/// Planning takes milliseconds for each thousand cases: more than a run of a fuzzer has.
bool is_small(const Config& config) {
  std::size_t cases = 0;
  for (const Experiment& experiment : config.experiments) {
    std::size_t product = experiment.variants.size();
    for (const auto& [axis, values] : experiment.axes) product *= values.size();
    cases += product;
  }
  return cases <= 64;
}

Config load_bytes(std::string_view bytes, Target target) {
  static MemoryFile file("config");
  return load_config(file.path_of(bytes), target, {}, record_columns());
}

/// For the target that the sum of the bytes gives: any change of one byte asks for another.
void read_config(std::string_view bytes) {
  load_bytes(bytes, Target(std::accumulate(bytes.begin(), bytes.end(), 0u) % target_names.size()));
}

void read_plan(std::string_view bytes) {
  for (const Target target : {Target::simt, Target::host}) {
    const Config config = load_bytes(bytes, target);
    if (is_small(config)) format_plan(make_plan(config, devices_of(target)), 0);
  }
}

/// Lines "--axis TEXT", "--set TEXT" and "-b TEXT" over a small config.
void read_overrides(std::string_view bytes) {
  static MemoryFile file("overridden");
  static const std::string path = file.path_of(
      R"({"experiments": [{"problem": "reduce", "variants": ["harris*"], "axes": {"n": 4096}}]})");
  Overrides overrides;
  while (!bytes.empty()) {
    const std::string_view line = take_line(bytes);
    if (line.starts_with("--axis ")) overrides.axes.emplace_back(line.substr(7));
    else if (line.starts_with("--set ")) overrides.sets.emplace_back(line.substr(6));
    else if (line.starts_with("-b ")) overrides.variants = line.substr(3);
  }
  load_config(path, Target::simt, overrides, record_columns());
}

void read_pattern(std::string_view bytes) { fits_pattern("reduce/harris3", std::string(bytes)); }

void read_npy_file(std::string_view bytes) {
  static MemoryFile file("npy");
  const ArrayFile array = open_npy(file.path_of(bytes));
  check_finite(array);
  const HostBuffer buffer = read_array(array, array.rows());
  for (const Type type : {Type::i32, Type::f32, Type::f64})
    if (array.columns() == 1 && array.type == type && array.rows() > 0)
      for (const Pair& pair : find_problem("reduce")->pairs)
        if (pair.type == type && pair.check_file)
          pair.check_file(buffer.data.get(), array.rows(), array.path);
}

void read_pgm_file(std::string_view bytes) {
  static MemoryFile file("pgm");
  const ArrayFile image = open_pgm(file.path_of(bytes));
  read_array(image, image.rows());
}

/// A model of the user's own, and what a launch takes of it.
void read_model(std::string_view bytes) {
  const DeviceFacts facts = simt::parse_model("fuzzed", std::string(bytes), "fuzzed.json");
  LaunchFacts launch;
  launch.grid.threads = facts.max_threads_per_block;
  launch.grid.shared_bytes = facts.shared_bytes_per_block;
  model_occupancy(facts, 64, launch);
}

/// What is read is written as it was.
void read_machine(std::string_view bytes) {
  const Json written = serialize_machine(parse_machine("fuzzed", std::string(bytes), "fuzzed.json"));
  if (serialize_machine(parse_machine("written", written.dump(), "written.json")) != written) std::abort();
}

void read_claim_file(std::string_view bytes) {
  static MemoryFile file("claims");
  read_claims(file.path_of(bytes));
}

/// The first line is run.json, the others are records.jsonl.
StoredRun stored_run(std::string_view bytes) {
  static MemoryFile file("records");
  const Json facts = checked_facts(std::string(take_line(bytes)), "run.json");
  NotRead others;
  const std::vector<Record> records =
      read_records(file.path_of(bytes), &others, {.sessions = sessions_of(facts).size()});
  return {"stored", facts, in_plan_order(records)};
}

void read_run(std::string_view bytes) {
  const StoredRun run = stored_run(bytes);
  sessions_of(run.facts);
  shown_config(run.facts);
  for (const Record& record : run.records) why_stale(record);
  stored_config("run.json", run.facts.value("config", Json()), record_columns());
}

void read_tables(std::string_view bytes) { make_tables(stored_run(bytes), {}); }

}  // namespace

const std::vector<FuzzTarget>& fuzz_targets() {
  static const std::vector<FuzzTarget> targets{
      {"config", read_config},   {"override", read_overrides}, {"model", read_model},
      {"machine", read_machine}, {"npy", read_npy_file},       {"pgm", read_pgm_file},
      {"records", read_run},     {"pattern", read_pattern},    {"plan", read_plan},
      {"tables", read_tables},   {"claims", read_claim_file}};
  return targets;
}

void run_target(const FuzzTarget& target, std::string_view bytes) {
  try {
    target.read(bytes);
  } catch (const UsageError&) {
  }
}

}  // namespace redbench
