// redbench profile: what the kernels of a variant or a config do, counted.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/ncu/nsight_compute.hpp"
#include "src/records/derived.hpp"
#include "src/records/record.hpp"
#include "src/records/stored_run.hpp"
#include "src/run/recording.hpp"
#include "src/tables/profile_report.hpp"
#include "src/tables/text.hpp"
#include "src/text/printable.hpp"
#include "src/why/why.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

struct ProfileFlags {
  Request config;
  Destination to;
  int lines = 8;
  TableWidth width{.in_files = 0};
  bool json = false;
};

void print_record(const Record& record, std::size_t lines, std::size_t width) {
  fmt::print("\n{}\n", printable(record["key"].get<std::string>()));
  if (record["reason"].is_string())
    fmt::print("{}: {}\n", record["outcome"].get<std::string>(),
               printable(record["reason"].get<std::string>()));
  fmt::print("{}", profile_report(record, lines, source_line, width));
}

/// What ncu counts is added to the records that the same command leaves under it. Gives why one got nothing.
std::string profile_under_ncu(const Work& work, const ProfileFlags& flags, const std::string& ncu) {
  if (flags.to.resume)
    throw UsageError("ncu counts all cases of a run at once: --replace instead of --resume");
  const std::vector<MeasuredLaunch> launches = run_again_under(ncu);
  const std::string folder = folder_of(work, flags.to);
  std::vector<Record> records = read_stored_run(folder).records;
  const std::string missing = add_measured_counters(records, launches);
  for (Record& record : records) add_derived(record);
  const RecordFile file(folder + "/records.jsonl", records);
  return missing;
}

int profile(const ProfileFlags& flags) {
  const Work work = make_work({.kind = Job::Kind::profile, .request = flags.config});
  Device& device = *work.devices->kernels;
  check_runnable(work);
  const std::string folder = folder_of(work, flags.to);
  const std::size_t width = std::size_t(flags.width.printed());
  const auto print = [&](const Record& record) {
    if (!flags.json) print_record(record, std::size_t(flags.lines), width);
  };
  if (!flags.json)
    print_wrapped(fmt::format("{} on {} ({})\n", printable(work.config.title), printable(device.name()),
                              printable(device.facts().name)));
  const bool counts = device.profiler() || is_under_ncu();
  const std::string ncu = counts ? "" : find_ncu();
  std::string missing;
  if (!ncu.empty()) {
    missing = profile_under_ncu(work, flags, ncu);
  } else {
    Recording recording(work, flags.to);
    if (!counts)
      missing = device.name() + " counts nothing itself, and there is no ncu (Nsight Compute) in PATH";
    if (!recording.make(false, print)) return exit_interrupted;
  }
  const std::vector<Record> records = read_stored_run(folder).records;
  if (!ncu.empty()) std::ranges::for_each(records, print);
  if (flags.json) fmt::print("{}", indented(records));
  else fmt::print("\nrecords are in {}\n", printable(folder));
  if (missing.empty()) return exit_code_of(records);
  fmt::print(stderr, "redbench: {}\n", printable(missing));
  return std::max(int(exit_failed), exit_code_of(records));
}

}  // namespace

void add_profile(CLI::App& app, int& exit_code) {
  const auto flags = std::make_shared<ProfileFlags>();
  flags->config.device = "simt";
  CLI::App& command = add_command(
      app,
      {.name = "profile",
       .what = "what kernels do, counted: sectors, conflicts, divergence, by line",
       .about = "Counts what the kernels of a variant, or of all cases of a config, do: sectors of memory "
                "and wavefronts of shared memory against the fewest possible, active lanes, divergent "
                "branches, barriers and atomics, with the source lines that cost most. The modelled device "
                "counts on any machine; on a GPU Nsight Compute does, where it is installed.",
       .writes = "records.jsonl and run.json in results/DEVICE/profile/NAME, or --out",
       .exits = {{exit_failed, "a case failed, or there is nothing that counts"},
                 {exit_wrong, "a result was wrong"},
                 {exit_interrupted, "interrupted; the same command with --resume goes on"}},
       .examples = {{"redbench profile reduce/harris1 -d simt:gtx480", "2^20 values on a GTX 480"},
                    {"redbench profile segreduce/tb2 -a n=30Ki -a segments=fixed:3 --lines 20",
                     "with segments of 3, and more source lines"},
                    {"redbench profile configs/martin2012/table1.json -d simt:gtx480 -a n=1Mi -b tb",
                     "the trees of a paper's table"}},
       .see = "docs/simt.md; redbench why"},
      exit_code, [flags] { return profile(*flags); });
  add_argument(command, "VARIANT|CONFIG", flags->config.config,
               "a variant, over 2^20 values, or a config: reduce/harris1, configs/martin2012/table1.json");
  add_override_flags(command, flags->config);
  add_parameters_flags(command, flags->config);
  add_destination_flags(command, flags->to, "results/DEVICE/profile/NAME");
  add_whole(command, "--lines", flags->lines, 0, std::numeric_limits<int>::max(), "COUNT",
            "source lines shown, of the launch that costs most");
  add_width_flag(command, flags->width);
  add_flag(command, "--json", flags->json, "the records on standard output, as JSON");
}

}  // namespace redbench
