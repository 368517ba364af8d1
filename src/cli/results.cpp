// redbench results: the tables of earlier runs, and how many of their records are older than their kernels.
#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/run/run.hpp"

namespace redbench {

void add_results(CLI::App& app, int& exit_code) {
  const auto folders = std::make_shared<std::vector<std::string>>();
  CLI::App& command = add_command(
      app, "results", "the tables of the runs in and below a folder, and what is stale",
      "  redbench results results/h200/quick", exit_code,
      [folders] { return show_results(folders->empty() ? std::vector<std::string>{"results"} : *folders); });
  add_arguments(command, "DIR", *folders, "a run's folder, or one above (results)");
}

}  // namespace redbench
