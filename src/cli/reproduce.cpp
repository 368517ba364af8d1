// redbench reproduce: a paper's figures and tables, from its configs to a report.
#include "src/reproduce/reproduce.hpp"

#include <fmt/format.h>

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/reproduce/figure.hpp"

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
      app,
      {.name = "reproduce",
       .what = "every figure and table of a paper: runs, plots, claims, a report",
       .about =
           "Runs every config of a paper, or of all; then makes tables, plots with the published numbers "
           "beside the new ones, claims and a report that opens from disk. What is there and would be made "
           "alike is kept: the same command goes on after an interruption. A modelled device answers what "
           "counts and launches tell, the host its own figures; what is left out is named.",
       .writes = "runs in results/DEVICE/PAPER/CONFIG, or --out; claims and report.html for each paper, of "
                 "`all` one of all",
       .exits = {{exit_failed, "a case failed or ran out of time, or no report could be made"},
                 {exit_wrong, "a result was wrong; the code is the worst of all runs"},
                 {exit_interrupted, "interrupted; the same command goes on"}},
       .examples = {{"redbench reproduce martin2012 --dry-run",
                     "configs, cases and time on the best device there is"},
                    {"redbench reproduce slides -d simt:h200 --precision quick --no-report",
                     "what the modelled device answers, in a minute or two"},
                    {"redbench reproduce all --device cuda --precision paper",
                     "all figures of five papers as the configs say, on a GPU: hours"}},
       .see = "docs/reproduce.md, docs/report.md; redbench claims"},
      exit_code, [options] { return reproduce(*options); });
  add_argument(command, "PAPER", options->paper, fmt::format("{}", fmt::join(paper_names(), ", ")));
  add_device_flag(command, options->device);
  add_option(command, "--precision", options->precision, "PRECISION", meanings_of_precision());
  add_option(command, "-o,--out", options->out, "DIR",
             "the folder of the papers' folders: DIR/PAPER/CONFIG (results/DEVICE)");
  add_shard_flag(command, options->shard);
  add_flag(command, "--replace", options->replace,
           "removes the runs that are there, their records, tables and plots, and no other file");
  add_flag(command, "--dry-run", options->dry_run, "prints configs, cases and times, and ends");
  add_flag(
      command, "--no-report", options->no_report,
      "runs and their tables alone, as where there is no Python: the same command without it does the rest; "
      "implied by --shard");
  add_flag(command, "-q,--quiet", options->quiet, "no progress");
  add_width_flag(command, options->width);
}

}  // namespace redbench
