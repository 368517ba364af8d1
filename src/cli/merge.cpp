// redbench merge: runs of one config as one.
#include "src/merge/merge.hpp"

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"

namespace redbench {

void add_merge(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<MergeOptions>();
  CLI::App& command = add_command(
      app,
      {.name = "merge",
       .what = "joins runs of one config: parts, or variants measured apart",
       .about =
           "Joins runs of one config: the parts of run --shard or reproduce --shard, or runs of some of its "
           "variants each, as a GPU's on one machine and a CPU's on another. Sessions stay apart, with the "
           "machine of each, and a record that is there twice is one. Runs of another config, device model, "
           "seed or input are refused, and so is a case that two builds have made. The result is a run that "
           "`run --resume`, `compare` and scripts/ take. Of folders with runs below, those with the same path "
           "are joined.",
       .writes = "records.jsonl, run.json and tables/ in --out. A run that is there is left alone without "
                 "--replace; all is checked before anything is written.",
       .exits = {{exit_usage,
                  "runs that do not belong together; a record that cannot be read, after the others are "
                  "written; or a mistake in the command line"}},
       .examples = {{"redbench merge parts/* --out whole", "parts of `run --shard` as one run"},
                    {"redbench merge results/h200/selftest/{a,b} --out both",
                     "two runs of the same cases: the records of both, as two sessions"}},
       .see = "docs/cluster.md"},
      exit_code, [options] { return merge(*options); });
  add_arguments(command, "DIR", options->folders, "the folder of a run, or one with runs below");
  add_option(command, "-o,--out", options->out, "DIR", "the folder of the joined run");
  add_flag(command, "--replace", options->replace,
           "replaces the run that is there, its records, tables and plots, and no other file");
  add_width_flag(command, options->width);
  add_kernels_flag(command);
}

}  // namespace redbench
