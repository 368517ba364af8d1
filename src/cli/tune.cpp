// redbench tune: the launch parameters that are fastest here.
#include "src/tune/tune.hpp"

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/own_files.hpp"
#include "src/records/stored_run.hpp"

namespace redbench {

void add_tune(CLI::App& app, int& exit_code) {
  struct Flags {
    TuneOptions options;
    std::string budget;
  };
  const auto flags = std::make_shared<Flags>();
  CLI::App& command = add_command(
      app,
      {.name = "tune",
       .what = "the launch parameters with which variants are fastest on this GPU",
       .about =
           "Tries the launch parameters of variants at each point, those of the variants and axes of a config or of -a. "
           "All candidates of a point are sampled in rounds on the same buffers, each result is checked, and the faster "
           "half goes on. The fastest is measured anew beside the card's default, in processes of their own, and taken "
           "where it is faster by its interval. What the file has for a point takes part, and stays where nothing is "
           "faster. Configs use the file where an experiment says \"parameters\": \"tuned\", or with --parameters "
           "tuned.",
       .writes =
           "tuned/DEVICE.json, or --out, in which the search replaces what it finds slower; its runs are in "
           "$XDG_CACHE_HOME/redbench or ~/.cache/redbench until no point is left, and the same command goes on after an "
           "interruption, or where the budget was over",
       .exits = {{exit_wrong, "a candidate's result was wrong"},
                 {exit_interrupted, "points are left, as it was interrupted or the budget was over"}},
       .examples = {{"redbench tune multireduce/global_transposed -d cuda -a m=16,256,4Ki",
                     "at three numbers of labels"},
                    {"redbench tune gather/cpu_sorted -d host -a n=4Ki --set measure.mode=warm --budget 1m",
                     "a CPU algorithm, with few candidates"}},
       .see = "docs/tuning.md; redbench run, best"},
      exit_code, [flags] {
        if (!flags->budget.empty()) flags->options.budget_s = duration_of("--budget", flags->budget);
        if (flags->options.records.empty()) flags->options.records = folders_of_records();
        else runs_below(flags->options.records);  // throws where one is missing
        return tune(flags->options);
      });
  add_arguments(command, "VARIANT", flags->options.subjects, "variants with their problem, or one config");
  add_override_flags(command, flags->options.request);
  add_option(command, "-o,--out", flags->options.out, "FILE", "the tuned file (tuned/DEVICE.json)");
  add_option(command, "--budget", flags->budget, "TIME",
             "as long as it may take: 90s, 5m, 1h; points that are left are named");
  add_flag(command, "--dry-run", flags->options.dry_run,
           "prints the points, how many candidates each has, and how long it takes; on any device");
  add_option(command, "--from", flags->options.records, "DIR",
             "folders whose self-test says which difference counts (results, else those of the program)");
  add_width_flag(command, flags->options.width);
}

}  // namespace redbench
