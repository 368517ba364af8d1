// redbench try: a kernel file that is being written.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <thread>

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/own_files.hpp"
#include "src/plugins/kernel_file.hpp"
#include "src/records/stored_run.hpp"
#include "src/shell.hpp"
#include "src/trial/trial.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

struct TryFlags {
  TrialOptions trial;
  bool watch = false;
};

/// When the file, or a header that it includes, was last saved; nothing where one is away for the moment.
std::optional<fs::file_time_type> last_saved(const std::string& file) {
  try {
    std::vector<fs::file_time_type> times;
    for (const fs::path& part : parts_of({fs::absolute(file), {}}))
      times.push_back(fs::last_write_time(part));
    return std::ranges::max(times);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// Each in a process of its own, as a variant is loaded once.
int watch(const TrialOptions& options) {
  if (!fs::exists(options.file)) throw UsageError(options.file + ": there is no such file");
  std::string once = fmt::format("{} try {} -d {}", shell_quoted(fs::read_symlink("/proc/self/exe")),
                                 shell_quoted(options.file), shell_quoted(options.device));
  for (const std::string& folder : options.records) once += " --from " + shell_quoted(folder);
  if (options.width.is_asked) once += fmt::format(" --width {}", options.width.in_files);
  for (;;) {
    const auto tried = last_saved(options.file);
    if (status_of(once) == exit_interrupted) return exit_interrupted;
    fmt::print("\nwaiting for {} or a header of it to be saved; Ctrl-C ends\n", options.file);
    std::fflush(stdout);
    for (auto saved = tried; !saved || saved == tried; saved = last_saved(options.file))
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
  }
}

}  // namespace

void add_try(CLI::App& app, int& exit_code) {
  const auto flags = std::make_shared<TryFlags>();
  CLI::App& command = add_command(
      app,
      {.name = "try",
       .what = "a kernel file of your own: compiled, checked, measured, explained",
       .about =
           "Compiles one kernel file and checks it on the modelled device: every access on few shapes, then the results "
           "for all types and operators that it takes. With a GPU these are checked there, and it is measured at five sizes beside "
           "the library, the fastest variant of the problem that keeps the same order, and the file as it was when it "
           "was last right. Then says what it does more or less than these, by source line. The file's name may be "
           "anything.",
       .writes = "compiled kernels, the last right version of the file and what was measured of it, in "
                 "$XDG_CACHE_HOME/redbench or ~/.cache/redbench",
       .exits = {{exit_failed, "a case failed or hung, none was wrong"},
                 {exit_wrong, "a result was wrong"},
                 {exit_interrupted, "interrupted"}},
       .examples = {{"redbench try mine.cu", "on a GPU where there is one"},
                    {"redbench try mine.cu -d simt:gtx480", "on a modelled GPU alone"},
                    {"redbench try mine.cu --watch", "again whenever the file is saved"}},
       .see = "docs/adding_a_variant.md; redbench new-variant, build"},
      exit_code, [flags] {
        if (flags->trial.records.empty()) flags->trial.records = folders_of_records();
        else runs_below(flags->trial.records);  // throws where one is missing
        return flags->watch ? watch(flags->trial) : try_kernel(flags->trial);
      });
  add_argument(command, "FILE", flags->trial.file, "the kernel's file, .cu, or .cpp for a CPU algorithm");
  add_device_flag(command, flags->trial.device);
  add_option(command, "--only", flags->trial.only, "CASE", "checks one case alone, by its key");
  add_option(command, "--from", flags->trial.records, "DIR",
             "folders of runs that say which variant is fastest (results, else those of the program)");
  add_flag(command, "--watch", flags->watch, "does it again when the file or a header of it is saved");
  add_width_flag(command, flags->trial.width);
}

}  // namespace redbench
