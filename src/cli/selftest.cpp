// redbench selftest: runs of one config, one after the other, against each other.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <list>
#include <set>

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/compare/self_test.hpp"
#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/own_files.hpp"
#include "src/records/output_file.hpp"
#include "src/records/output_folder.hpp"
#include "src/records/stored_run.hpp"
#include "src/run/recording.hpp"
#include "src/tables/run_tables.hpp"
#include "src/text/printable.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

struct SelftestFlags {
  std::vector<std::string> configs;
  Request request;
  Destination to;
  int runs = 2;
  double threshold_percent = 1;
  bool quiet = false, report = false;
  std::vector<std::string> with;  // folders of other self-tests
  TableWidth width;
};

constexpr int most_runs = 26;  // a to z

std::string own_config() {
  const fs::path path = "configs/selftest.json";
  if (std::error_code error; fs::exists(path, error)) return path;
  return own_files() / path;
}

Work work_of(const SelftestFlags& flags) {
  if (flags.configs.size() > 1) throw UsageError("redbench selftest: one config at most is run");
  Request request = flags.request;
  request.config = flags.configs.empty() ? own_config() : flags.configs[0];
  request.overrides.sets.emplace_back("measure.twice=true");
  Work work = make_work({.kind = Job::Kind::run, .request = std::move(request)});
  if (work.devices->kernels->target() == Target::simt)
    throw UsageError("the modelled device has no time that could differ; -d cuda or -d host has");
  if (work.config.measure.forks < 2)
    throw UsageError(
        fmt::format("{}: measured in one process, runs cannot be compared with each other; "
                    "--set measure.forks=5 measures in five",
                    work.config.path));
  check_runnable(work);
  work.has_fixed_boards = true;
  return work;
}

/// The report's files are replaced where its runs may be.
void check_is_free(const std::string& path, const Destination& to) {
  if (fs::is_directory(path))
    throw UsageError(path +
                     ": is in the way: it is a folder, and a file goes there; choose another with --out");
  if (fs::exists(path) && !to.resume && !to.replace)
    throw UsageError(
        path +
        ": is there; --resume goes on with its runs, --replace removes them, --out chooses another folder");
}

std::string run_of(const fs::path& folder, int number) {
  return (folder / std::string(1, char('a' + number))).string();
}

/// Recordings into DIR/a, DIR/b, ...: each folder is checked and locked before the first is replaced.
std::list<Recording> recordings_of(const SelftestFlags& flags, const Work& work, const fs::path& folder) {
  std::list<Recording> recordings;
  for (int i = 0; i < flags.runs; ++i) {
    Destination to = flags.to;
    to.folder = run_of(folder, i);
    recordings.emplace_back(work, to);
  }
  return recordings;
}

/// DIR/a, DIR/b, ... of an earlier self-test.
std::vector<StoredRun> runs_of(const std::string& folder) {
  std::vector<StoredRun> runs;
  for (int i = 0; i < most_runs; ++i)
    if (const std::string path = run_of(folder, i); fs::exists(path + "/run.json"))
      runs.push_back(read_stored_run(path));
  if (runs.size() < 2)
    throw UsageError(folder + ": no self-test: two runs at least are expected in it, called a and b");
  return runs;
}

/// The self-tests of --with. `runs`: those of this one, in `folder`, which need not be there yet. A run that
/// goes by two names is refused: it would be compared with itself.
std::vector<std::vector<StoredRun>> runs_of_other_self_tests(const SelftestFlags& flags,
                                                             const std::string& folder,
                                                             const std::vector<std::string>& runs) {
  std::set<fs::path> found;
  const auto add = [&](const std::string& path) {
    if (!found.insert(fs::weakly_canonical(path)).second)
      throw UsageError(path + ": a run that is there twice, by another name");
  };
  for (const std::string& path : runs) add(path);
  std::vector<std::vector<StoredRun>> others;
  for (const std::string& path : flags.with) {
    if (std::error_code error; fs::equivalent(path, folder, error))
      throw UsageError("--with " + path + ": is the self-test that is reported");
    others.push_back(runs_of(path));
    for (const StoredRun& run : others.back()) add(run.path);
  }
  return others;
}

/// Writes selftest.json and selftest.md.
int report(const SelftestFlags& flags, const std::string& folder, const std::vector<StoredRun>& runs,
           const std::vector<std::vector<StoredRun>>& others) {
  const SelfTest test = self_test(runs, flags.threshold_percent, others);
  const Record& record = runs[0].records.at(0);  // a run without records has no case that was sampled twice
  const std::string hardware = record["hardware"], device = record["device"];
  write_file(folder + "/selftest.json", indented(to_json(test)));
  write_file(folder + "/selftest.md", markdown(test, fmt::format("{}: {}", runs[0].title(), hardware)));
  fmt::print("{} ({})\n{}\nthe report is in {}/selftest.md\n", printable(hardware), printable(device),
             text_of(test, flags.width.printed()), printable(folder));
  return exit_fine;
}

int selftest(const SelftestFlags& flags) {
  check_threshold(flags.threshold_percent);
  if (flags.report) {
    if (!flags.configs.empty() || flags.to.resume || flags.to.replace)
      throw UsageError("--report measures nothing: it takes no CONFIG, --resume or --replace");
    const std::string folder = fs::path(flags.to.folder).lexically_normal().string();
    if (folder.empty()) throw UsageError("--report: --out names the self-test that is reported");
    const std::vector<StoredRun> runs = runs_of(folder);
    std::vector<std::string> paths;
    for (const StoredRun& run : runs) paths.push_back(run.path);
    return report(flags, folder, runs, runs_of_other_self_tests(flags, folder, paths));
  }
  const Work work = work_of(flags);
  const std::string folder = flags.to.folder.empty()
                                 ? results_folder(work.devices->kernels->slug(), work.config.name)
                                 : fs::path(flags.to.folder).lexically_normal().string();
  std::vector<std::string> paths;
  for (int i = 0; i < flags.runs; ++i) paths.push_back(run_of(folder, i));
  const std::vector<std::vector<StoredRun>> others = runs_of_other_self_tests(flags, folder, paths);
  for (const char* name : {"/selftest.json", "/selftest.md"}) check_is_free(folder + name, flags.to);
  std::list<Recording> recordings = recordings_of(flags, work, folder);
  std::vector<StoredRun> runs;
  for (Recording& recording : recordings) {
    const std::string& path = recording.folder();
    if (!flags.quiet) fmt::print(stderr, "run {} of {}: {}\n", runs.size() + 1, flags.runs, printable(path));
    if (!recording.make(!flags.quiet)) {
      fmt::print(stderr, "interrupted; the same command with --resume goes on\n");
      return exit_interrupted;
    }
    runs.push_back(read_stored_run(path));
    write_tables(runs.back(), {}, flags.width);
    if (const int code = exit_code_of(runs.back().records); code != exit_fine) {
      fmt::print(stderr, "redbench: cases of {} have not passed; `redbench results` shows them\n",
                 printable(path));
      return code;
    }
  }
  return report(flags, folder, runs, others);
}

}  // namespace

void add_selftest(CLI::App& app, int& exit_code) {
  const auto flags = std::make_shared<SelftestFlags>();
  CLI::App& command = add_command(
      app,
      {.name = "selftest",
       .what = "runs a config against itself: how often nothing is a difference",
       .about = "Measures one config several times and compares each run with each other, and within a run "
                "each case with itself. All differences found are false: it says how often that happens, and "
                "the least difference that this machine shows. `claims` takes that from its report.",
       .writes =
           "runs DIR/a, DIR/b, ..., selftest.json and selftest.md in DIR: results/DEVICE/CONFIG, or --out",
       .exits = {{exit_failed, "a case failed or ran out of time"},
                 {exit_wrong, "a result was wrong"},
                 {exit_interrupted, "interrupted; the same command with --resume goes on"}},
       .examples = {{"redbench selftest -d host -a n=64Ki --set measure.forks=2 --out mine",
                     "the CPU's variants at one size, in two processes for each run"},
                    {"redbench selftest configs/selftest.json -d cuda --runs 4",
                     "four runs of five processes each on a GPU"},
                    {"redbench selftest --report --out results/h200/selftest",
                     "the report of runs that are there"}},
       .see = "docs/reference/comparing.md"},
      exit_code, [flags] { return selftest(*flags); });
  add_arguments(command, "CONFIG", flags->configs, "what is run (configs/selftest.json)");
  add_override_flags(command, flags->request);
  add_parameters_flags(command, flags->request);
  add_destination_flags(command, flags->to, "results/DEVICE/CONFIG");
  add_whole(command, "--runs", flags->runs, 2, most_runs, "COUNT",
            "runs, each compared with each other: DIR/a, DIR/b, ...");
  add_option(command, "--with", flags->with, "DIR",
             "another self-test, of another machine or of this one, with which the runs are compared, too");
  add_flag(command, "--report", flags->report,
           "measures nothing: reports again of the runs in --out, on any machine");
  add_option(command, "--threshold", flags->threshold_percent, "PERCENT", "as of `redbench compare`");
  add_width_flag(command, flags->width);
  add_flag(command, "-q,--quiet", flags->quiet, "no progress");
}

}  // namespace redbench
