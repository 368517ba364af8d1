#include "src/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "src/error.hpp"
#include "src/plan/cost.hpp"
#include "src/records/output_file.hpp"
#include "src/records/output_folder.hpp"
#include "src/records/record.hpp"
#include "src/tables/run_tables.hpp"
#include "src/text/printable.hpp"

namespace redbench {
namespace {

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

/// The files of --csv, --md and --json; throws UsageError for one that cannot be written.
std::vector<std::pair<OutputFile, std::string RunTables::*>> asked_files(const RunOptions& options,
                                                                         const Work& work) {
  std::vector<std::pair<OutputFile, std::string RunTables::*>> files;
  std::vector<std::pair<std::string, std::string>> taken{{options.request.config, "the config"}};
  const Json digests = work.inputs.digests();
  for (const auto& [path, digest] : digests.items()) taken.emplace_back(path, "an input");
  for (const auto& [option, path, table] : {std::tuple("--csv", &options.csv, &RunTables::csv),
                                            {"--md", &options.markdown, &RunTables::markdown},
                                            {"--json", &options.json, &RunTables::json}}) {
    if (path->empty()) continue;
    OutputFile file(option, *path, folder_of(work, options.to));
    for (const auto& [other, what] : taken) file.check_is_not(other, what);
    taken.emplace_back(*path, std::string("the file of ") + option);
    files.emplace_back(std::move(file), table);
  }
  return files;
}

}  // namespace

int run(const RunOptions& options) {
  const Work work = make_work({.kind = Job::Kind::run, .request = options.request});
  const Device& device = *work.devices->kernels;
  if (options.dry_run) {
    fmt::print("{} on {} ({})\n{}", printable(work.config.title), printable(device.name()),
               printable(device.facts().name),
               format_plan(work.plan, seconds_of(work.plan, work.config.measure, work.devices->devices())));
    return exit_fine;
  }

  // Whatever a user may have got wrong is found before anything is measured.
  check_runnable(work);
  const auto files = asked_files(options, work);
  Recording recording(work, options.to);
  const std::vector<PublishedNumber> published = published_for(recording.name());
  const bool complete = recording.make(!options.quiet);

  // Tables are made of the file, as `redbench tables` would make them.
  const StoredRun stored = read_stored_run(recording.folder());
  if (!complete) {
    fmt::print(stderr, "interrupted: {} of {} records are in {}; the same command with --resume goes on\n",
               recording.planned() - recording.missing(), recording.planned(), printable(recording.folder()));
    return exit_interrupted;
  }
  const RunTables tables = make_tables(stored, published, options.width, !options.json.empty());
  write_tables(tables);
  for (const auto& [file, table] : files) file.write(tables.*table);
  if (!options.quiet)
    fmt::print("{}\n{}; records and tables are in {}\n", tables.terminal, outcome_counts(stored.records),
               printable(recording.folder()));
  return exit_code_of(stored.records);
}

}  // namespace redbench
