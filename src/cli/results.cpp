// redbench results: the tables of earlier runs, and which of their records this program would not make so.
// redbench tables: writes them again.
#include <fmt/format.h>

#include <map>

#include "src/cli/commands.hpp"
#include "src/cli/flags.hpp"
#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/records/mistakes.hpp"
#include "src/records/provenance.hpp"
#include "src/tables/run_tables.hpp"
#include "src/text/counted.hpp"
#include "src/text/printable.hpp"

namespace redbench {
namespace {

std::string terminal_tables(const PackedRun& run, TableWidth width) {
  if (run.records.empty()) return "no record\n";
  std::string text;
  make_tables(run, published_for(run.run.name()), width,
              {.terminal = [&](std::string_view more) { text += more; }});
  return text;
}

/// What `results` shows of the runs.
enum class Shown : std::uint8_t { tables, stale, json };

constexpr const char* built_otherwise = "built otherwise";

/// Why a record is stale, or that another build made it; empty where neither holds.
std::string difference_of(const Record& record) {
  const std::string stale = why_stale(record);
  if (!is_built_otherwise(record)) return stale;
  return stale.empty() ? built_otherwise : stale + "; " + built_otherwise;
}

/// By which a row of a run's tables and plots is found.
Json provenance_json(const Record& record) {
  return {{"key", record["key"]},
          {"mode", record["mode"]},
          {"device", record["device"]},
          {"stale", why_stale(record)},
          {"built_otherwise", is_built_otherwise(record)}};
}

Table differing_rows(const PackedRecords& records) {
  Table table{.columns = {{"case", false}, {"device", false}, {"mode", false}, {"why", false}}};
  records.for_each([&](const Record& record) {
    if (const std::string why = difference_of(record); !why.empty())
      table.rows.push_back({record["key"], record["device"], record["mode"], why});
  });
  return table;
}

/// Records of all runs by what is stale in them, "" for those that are not.
using Counts = std::map<std::string, std::size_t>;

void print_counts(const Counts& reasons, std::size_t otherwise, std::size_t damaged) {
  std::size_t count = 0, stale = 0;
  for (const auto& [reason, records] : reasons) {
    count += records;
    if (!reason.empty()) stale += records;
  }
  fmt::print("{}, {} stale{}\n", counted(count, "record"), stale,
             damaged == 0 ? "" : fmt::format("; {} of the runs cannot be read", damaged));
  for (const auto& [reason, records] : reasons)
    if (!reason.empty()) fmt::print("{}: {}\n", reason, records);
  if (otherwise > 0) fmt::print("{}, which makes none stale: {}\n", built_otherwise, otherwise);
}

int show_results(const std::vector<std::string>& folders, TableWidth width, Shown shown) {
  Counts reasons;
  std::size_t otherwise = 0, damaged = 0;
  Json all = Json::object();
  for (const std::string& path : runs_below(folders)) try {
      const PackedRun run = read_packed_run(path);
      run.records.for_each([&](const Record& record) {
        ++reasons[why_stale(record)];
        otherwise += is_built_otherwise(record);
        if (shown == Shown::json) all[path].push_back(provenance_json(record));
      });
      if (shown == Shown::tables) fmt::print("{}\n{}\n", printable(path), terminal_tables(run, width));
      if (const Table rows = differing_rows(run.records); shown == Shown::stale && !rows.rows.empty())
        fmt::print("{}\n{}\n", printable(path), aligned(rows, false));
    } catch (const UsageError& error) {
      // Its siblings are shown.
      ++damaged;
      report_mistake(error.what());
    }
  if (shown == Shown::json) fmt::print("{}", indented(all));
  else print_counts(reasons, otherwise, damaged);
  return exit_fine;
}

/// All runs are read before the first table is replaced.
int write_results(const std::vector<std::string>& folders, bool json, TableWidth width) {
  std::vector<std::pair<PackedRun, std::vector<PublishedNumber>>> runs;
  for (const std::string& path : runs_below(folders)) {
    PackedRun run = read_packed_run(path);
    std::vector<PublishedNumber> published = published_for(run.run.name());
    runs.emplace_back(std::move(run), std::move(published));
  }
  for (const auto& [run, published] : runs)
    for (const std::string& path : write_tables(run, published, width, json))
      fmt::print("{}\n", printable(path));
  return exit_fine;
}

}  // namespace

void add_results(CLI::App& app, int& exit_code) {
  const auto folders = std::make_shared<std::vector<std::string>>();
  const auto width = std::make_shared<TableWidth>();
  const auto stale = std::make_shared<bool>(false), json = std::make_shared<bool>(false);
  CLI::App& command = add_command(
      app,
      {.name = "results",
       .what = "the tables of the runs in and below a folder, and what is stale",
       .about = "Prints the tables of runs from their records. A record is stale where a file has changed "
                "that decides its numbers, as the kernel's: how many are is the last line. A run that cannot "
                "be read hides no other.",
       .exits =
           {{exit_usage,
             "a run or a record cannot be read, after the others are shown; or a mistake in the command line"}},
       .examples = {{"redbench results results/h200/quick", "the tables of one run"},
                    {"redbench results results --stale",
                     "what is stale below a folder, row by row, and why"}},
       .see = "docs/reference/records.md (What made a record); redbench tables"},
      exit_code, [=] {
        const Shown shown = *json ? Shown::json : *stale ? Shown::stale : Shown::tables;
        return show_results(folders->empty() ? std::vector<std::string>{"results"} : *folders, *width, shown);
      });
  add_width_flag(command, *width);
  add_arguments(command, "DIR", *folders, "a run's folder, or one above (results)");
  add_flag(command, "--stale", *stale,
           "instead of tables: row by row, what is stale or built otherwise, and why");
  add_flag(command, "--json", *json, "the same of every row, as JSON by run");
}

void add_tables(CLI::App& app, int& exit_code) {
  const auto folders = std::make_shared<std::vector<std::string>>();
  const auto json = std::make_shared<bool>(false);
  const auto width = std::make_shared<TableWidth>();
  CLI::App& command = add_command(
      app,
      {.name = "tables",
       .what = "writes the tables of runs again, from their records",
       .about = "Writes what `run` writes beside its records: a CSV of everything and a Markdown file for "
                "readers, a table for each experiment and device, with published numbers where a paper has "
                "them. All runs are read before the first table is replaced.",
       .writes = "tables/CONFIG.csv, .md and report.json in each run's folder; with --json .json, too",
       .examples = {{"redbench tables results/h200/quick", "of one run"},
                    {"redbench tables results/h200/slides --json --width 100",
                     "of all below a folder, narrower, and as JSON, too"}},
       .see = "docs/measuring.md; redbench results"},
      exit_code, [folders, json, width] {
        if (folders->empty()) throw UsageError("redbench tables: the folder of a run is missing");
        return write_results(*folders, *json, *width);
      });
  add_arguments(command, "RUN", *folders, "a run's folder, or one above");
  add_width_flag(command, *width);
  add_flag(command, "--json", *json, "as JSON, too");
}

}  // namespace redbench
