// redbench run: measures a config. redbench worker: the process apart that it does so in, no command for
// users.
#include "src/run/run.hpp"

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/run/worker.hpp"

namespace redbench {

void add_run(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App& command =
      add_command(app, "run", "measures a config: records, tables, exit code",
                  "  redbench run configs/quick.json\n"
                  "  redbench run configs/martin2012/fig4.json -d simt:gtx480 -a n=1Mi --dry-run\n"
                  "  redbench run configs/quick.json --mode cold,warm --out my_results --resume",
                  exit_code, [options] { return run(*options); });
  add_config_flags(command, options->request);
  add_destination_flags(command, options->to, "results/DEVICE/CONFIG");
  add_path(command, "--csv", options->csv, "FILE", "writes the table here, too");
  add_path(command, "--md", options->markdown, "FILE", "the same as Markdown");
  add_path(command, "--json", options->json, "FILE", "the same as JSON");
  add_width_flag(command, options->width);
  add_flag(command, "--dry-run", options->dry_run, "prints the plan and ends");
  add_flag(command, "-q,--quiet", options->quiet, "no progress and no table");

  add_command(app, "worker", "", "", exit_code, serve_worker);
}

}  // namespace redbench
