// redbench reproduce: a paper's figures and tables, from its configs to a report.
#include "src/reproduce/reproduce.hpp"

#include <fmt/format.h>

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/reproduce/papers.hpp"
#include "src/reproduce/precision.hpp"

namespace redbench {
namespace {

/// "default: one process ...; paper: as the configs say"
std::string meanings_of_precision() {
  std::vector<std::string> meanings;
  for (const Precision& precision : precisions())
    meanings.push_back(fmt::format("{}: {}", precision.name, precision.what));
  return fmt::format("{}", fmt::join(meanings, "; "));
}

}  // namespace

void add_reproduce(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ReproduceOptions>();
  CLI::App& command = add_command(
      app, "reproduce", "every figure and table of a paper: runs, tables, plots, claims and a report",
      "  redbench reproduce martin2012 --dry-run\n"
      "  redbench reproduce martin2012 --device simt:gtx480\n"
      "  redbench reproduce all --device cuda --precision paper\n"
      "What is there and would be made alike is kept: the same command goes on after an interruption.\n"
      "A modelled device answers what counts and launches tell, the host its own figures; what is left is "
      "named.\n"
      "Exit code: the worst of all runs.",
      exit_code, [options] { return reproduce(*options); });
  add_argument(command, "PAPER", options->paper, fmt::format("{}", fmt::join(paper_names(), ", ")));
  add_device_flag(command, options->device);
  add_option(command, "--precision", options->precision, "NAME", meanings_of_precision());
  add_path(command, "-o,--out", options->out, "DIR",
           "the folder of the papers' folders: DIR/PAPER/CONFIG (results/DEVICE)");
  add_flag(command, "--replace", options->replace,
           "removes the runs that are there, their records, tables and plots, and no other file");
  add_flag(command, "--dry-run", options->dry_run, "prints configs, cases and times, and ends");
  add_flag(
      command, "--no-report", options->no_report,
      "runs and their tables alone, as where there is no Python: the same command without it does the rest");
  add_flag(command, "-q,--quiet", options->quiet, "no progress");
  add_width_flag(command, options->width);
}

}  // namespace redbench
