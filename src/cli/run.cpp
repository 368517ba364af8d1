// redbench run: measures a config. redbench worker: the process in which run, profile and verify execute
// cells (src/run/worker.hpp); no command for users.
#include "src/run/run.hpp"

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/plugins/load.hpp"
#include "src/run/worker.hpp"

namespace redbench {

void add_run(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App& command = add_command(
      app,
      {.name = "run",
       .what = "measures a config: records, tables, exit code",
       .about = "Measures every case of a config: each result is checked first, then the variants of an "
                "input are sampled in turn until their medians are narrow enough. On a modelled device it "
                "counts, as that has no time. Each case ends as one row: passed, wrong, failed, timeout or "
                "unsupported; only what passed has a time. A case that hangs or crashes costs only itself.",
       .writes = "records.jsonl, run.json and tables/ in results/DEVICE/CONFIG, or --out. A run that is "
                 "there is left alone without --resume or --replace.",
       .exits = {{exit_failed, "a case failed or ran out of time"},
                 {exit_wrong, "a result was wrong"},
                 {exit_interrupted, "interrupted; the same command with --resume goes on"}},
       .examples = {{"redbench run configs/quick.json -b harris -a n=64Ki",
                     "the ladder of the slides at one small size, on the best device there is"},
                    {"redbench run configs/martin2012/fig4.json -d simt:gtx480 -a n=1Mi --dry-run",
                     "says what a figure of a paper would take, and ends"},
                    {"redbench run configs/quick.json -d host -a n=64Ki --mode cold,warm -o mine",
                     "on the CPU, with caches overwritten and as they are"},
                    {"redbench run configs/quick.json -d simt -a n=64Ki --shard 1/4 -o parts/1",
                     "the first of four parts, as one of four machines makes it"},
                    {"redbench run configs/slides/table.json -d cuda --resume",
                     "a table of the slides on a GPU, begun or resumed"}},
       .see = "docs/measuring.md, configs/README.md; redbench tables, compare"},
      exit_code, [options] { return run_with_processes(options->request, [&] { return run(*options); }); });
  add_config_flags(command, options->request);
  add_shard_flag(command, options->request.shard);
  add_destination_flags(command, options->to, "results/DEVICE/CONFIG");
  add_option(command, "--csv", options->csv, "FILE", "writes the table here, too");
  add_option(command, "--md", options->markdown, "FILE", "the same as Markdown");
  add_option(command, "--json", options->json, "FILE", "the same as JSON");
  add_width_flag(command, options->width);
  add_flag(command, "--dry-run", options->dry_run, "prints the plan and ends");
  add_flag(command, "-q,--quiet", options->quiet, "no progress and no table");

  add_command(app, {.name = "worker"}, exit_code, [] {
    use_kernels_of_parent();
    return serve_worker();
  });
}

}  // namespace redbench
