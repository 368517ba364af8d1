#include "tests/fuzz/targets.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>

#include "src/config/config.hpp"
#include "src/config/resolved.hpp"
#include "src/device/devices.hpp"
#include "src/error.hpp"
#include "src/inputs/npy.hpp"
#include "src/parse_json.hpp"
#include "src/plan/plan.hpp"
#include "src/records/columns.hpp"
#include "src/records/output_folder.hpp"
#include "src/records/provenance.hpp"
#include "src/run/run_facts.hpp"
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

const Columns& columns() {
  static const Columns columns = record_columns();
  return columns;
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

void plan(const Config& config, Target target) {
  if (is_small(config)) format_plan(make_plan(config, devices_of(target)), 0);
}

void read_config(std::string_view bytes) {
  static MemoryFile file("config");
  const std::string path = file.path_of(bytes);
  for (const Target target : {Target::simt, Target::cuda, Target::host}) {
    const Config config = load_config(path, target, {}, columns());
    if (target != Target::cuda) plan(config, target);
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
  plan(load_config(path, Target::simt, overrides, columns()), Target::simt);
}

void read_pattern(std::string_view bytes) {
  const std::string pattern(bytes);
  for (const char* name : {"reduce/harris3", "histogram/shared_atomic", ""}) fits_pattern(name, pattern);
}

void read_npy_file(std::string_view bytes) {
  static MemoryFile file("npy");
  const NpyHeader header = read_npy_header(file.path_of(bytes));
  check_finite(header);
  const HostBuffer buffer = read_npy(header, header.rows());
  for (const Type type : {Type::i32, Type::f32, Type::f64})
    if (header.columns() == 1 && header.type == type && header.rows() > 0)
      for (const Pair& pair : find_problem("reduce")->pairs)
        if (pair.type == type && pair.check_file)
          pair.check_file(buffer.data.get(), header.rows(), header.path);
}

/// The first line is run.json, the others are records.jsonl.
void read_run(std::string_view bytes) {
  static MemoryFile file("records");
  const Json facts = parse_json(std::string(take_line(bytes)));
  if (!facts.is_object()) return;  // as read_stored_run does
  const StoredRun run{"stored", facts, in_plan_order(read_records(file.path_of(bytes)))};
  make_tables(run, {});
  sessions_of(facts);
  shown_config(facts);
  for (const Record& record : run.records) stale_because(record);
  stored_config("run.json", facts.value("config", Json()), columns());
}

}  // namespace

const std::vector<FuzzTarget>& fuzz_targets() {
  static const std::vector<FuzzTarget> targets{{"config", read_config},
                                               {"override", read_overrides},
                                               {"npy", read_npy_file},
                                               {"records", read_run},
                                               {"pattern", read_pattern}};
  return targets;
}

void run_target(const FuzzTarget& target, std::string_view bytes) {
  try {
    target.read(bytes);
  } catch (const UsageError&) {
  }
}

}  // namespace redbench
