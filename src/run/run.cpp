#include "src/run/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "src/error.hpp"
#include "src/plan/cost.hpp"
#include "src/records/output_folder.hpp"
#include "src/records/record.hpp"
#include "src/tables/run_tables.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// "62 passed, 1 wrong"
std::string outcome_counts(const std::vector<Record>& records) {
  std::vector<std::string> counts;
  for (const std::string_view outcome : outcome_names) {
    const auto count = std::count_if(records.begin(), records.end(),
                                     [&](const Record& record) { return record["outcome"] == outcome; });
    if (count) counts.push_back(fmt::format("{} {}", count, outcome));
  }
  return fmt::format("{}", fmt::join(counts, ", "));
}

/// Every file that is asked for, so that one that cannot be written is known before anything runs.
void probe(const RunOptions& options) {
  for (const std::string& path : {options.csv, options.markdown, options.json}) {
    if (path.empty()) continue;
    if (fs::exists(path)) {
      if (::access(path.c_str(), W_OK) != 0 || fs::is_directory(path))
        throw UsageError(path + ": cannot be written");
    } else {
      write_file(path, "");
      ::unlink(path.c_str());
    }
  }
}

void write_where_asked(const RunOptions& options, const RunTables& tables) {
  for (const auto& [path, text] : {std::pair(&options.csv, &tables.csv),
                                   {&options.markdown, &tables.markdown},
                                   {&options.json, &tables.json}})
    if (!path->empty()) write_file(*path, *text);
}

}  // namespace

int run(const RunOptions& options) {
  const Work work = make_work({.kind = Job::Kind::run, .request = options.request});
  const Device& device = *work.devices->kernels;
  if (options.dry_run) {
    fmt::print("{} on {} ({})\n{}", work.config.title, device.name(), device.facts().name,
               format_plan(work.plan, seconds_of(work.plan, work.config.measure, work.devices->devices())));
    return exit_fine;
  }

  Recording recording(work, options.to);
  const std::vector<PublishedNumber> published = published_for(recording.name());
  probe(options);
  const bool complete = recording.make(!options.quiet);

  const StoredRun stored = read_stored_run(recording.folder());
  if (!complete) {
    fmt::print(stderr, "interrupted: {} of {} records are in {}; the same command with --resume goes on\n",
               stored.records.size(), recording.planned(), recording.folder());
    return exit_interrupted;
  }
  const RunTables tables = make_tables(stored, published, options.width);
  write_tables(stored, tables, false);
  write_where_asked(options, tables);
  if (!options.quiet)
    fmt::print("{}\n{}; records and tables are in {}\n", tables.terminal, outcome_counts(stored.records),
               recording.folder());
  return exit_code_of(stored.records);
}

}  // namespace redbench
