// redbench results: the tables of earlier runs, and how many of their records are older than their kernels.
// redbench tables: writes them again.
#include <fmt/format.h>

#include <algorithm>

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/printable.hpp"
#include "src/tables/run_tables.hpp"

namespace redbench {
namespace {

RunTables tables_of(const StoredRun& run, int width) {
  return make_tables(run, published_for(run.name()), width);
}

int show_results(const std::vector<std::string>& folders, int width) {
  std::size_t count = 0, stale = 0, damaged = 0;
  for (const std::string& folder : folders)
    for (const std::string& path : runs_below(folder)) try {
        const StoredRun run = read_stored_run(path);
        count += run.records.size();
        stale += std::size_t(std::count_if(run.records.begin(), run.records.end(), is_stale));
        fmt::print("{}\n{}\n", printable(path),
                   run.records.empty() ? "no record\n" : tables_of(run, width).terminal);
      } catch (const UsageError& error) {
        // Its siblings are shown.
        ++damaged;
        std::fflush(stdout);
        fmt::print(stderr, "redbench: {}\n\n", printable(error.what()));
      }
  fmt::print("{} records, {} stale{}\n", count, stale,
             damaged == 0 ? "" : fmt::format("; {} of the runs cannot be read", damaged));
  return damaged == 0 ? exit_fine : exit_usage;
}

/// All runs are read before the first table is replaced.
int write_results(const std::vector<std::string>& folders, bool json, int width) {
  std::vector<std::pair<StoredRun, RunTables>> runs;
  for (const std::string& folder : folders)
    for (const std::string& path : runs_below(folder)) {
      StoredRun run = read_stored_run(path);
      RunTables tables = tables_of(run, width);
      runs.emplace_back(std::move(run), std::move(tables));
    }
  for (const auto& [run, tables] : runs)
    for (const std::string& path : write_tables(run, tables, json)) fmt::print("{}\n", printable(path));
  return exit_fine;
}

}  // namespace

void add_results(CLI::App& app, int& exit_code) {
  const auto folders = std::make_shared<std::vector<std::string>>();
  const auto width = std::make_shared<int>(default_width);
  CLI::App& command = add_command(
      app, "results", "the tables of the runs in and below a folder, and what is stale",
      "  redbench results results/h200/quick", exit_code, [folders, width] {
        return show_results(folders->empty() ? std::vector<std::string>{"results"} : *folders, *width);
      });
  add_width_flag(command, *width);
  add_arguments(command, "DIR", *folders, "a run's folder, or one above (results)");
}

void add_tables(CLI::App& app, int& exit_code) {
  const auto folders = std::make_shared<std::vector<std::string>>();
  const auto json = std::make_shared<bool>(false);
  const auto width = std::make_shared<int>(default_width);
  CLI::App& command = add_command(app, "tables", "writes the tables of runs again, from their records",
                                  "  redbench tables results/h200/quick\n  redbench tables results --json",
                                  exit_code, [folders, json, width] {
                                    if (folders->empty())
                                      throw UsageError("redbench tables: the folder of a run is missing");
                                    return write_results(*folders, *json, *width);
                                  });
  add_arguments(command, "RUN", *folders, "a run's folder, or one above");
  add_width_flag(command, *width);
  add_flag(command, "--json", *json, "as JSON, too");
}

}  // namespace redbench
