#include "src/run/run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "src/error.hpp"
#include "src/plan/cost.hpp"
#include "src/records/output_file.hpp"
#include "src/records/record.hpp"
#include "src/records/stored_run.hpp"
#include "src/tables/run_tables.hpp"
#include "src/tables/text.hpp"
#include "src/text/printable.hpp"
#include "src/text/terminal.hpp"

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
  return counts.empty() ? "no record" : fmt::format("{}", fmt::join(counts, ", "));
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
  const Work work = make_work({.kind = Job::Kind::run, .request = options.request, .until = options.until});
  const Device& device = *work.devices->kernels;
  if (options.dry_run) {
    const std::size_t width =
        options.width.is_asked ? std::size_t(options.width.in_files) : terminal_width(STDOUT_FILENO);
    const Plan plan = chosen_part(work.plan, work.chosen);
    const double seconds = seconds_of(plan, work.config.measure, work.devices->devices());
    fmt::print(
        "{}", wrapped(fmt::format("{} on {} ({})\n{}", printable(work.config.title), printable(device.name()),
                                  printable(device.facts().name), format_plan(plan, seconds, width)),
                      width));
    if (std::error_code error; options.to.resume && fs::exists(folder_of(work, options.to), error)) {
      const Recording recording(work, options.to);
      fmt::print("{}\n", printable(recording.what_is_resumed()));
      for (const std::string& name : recording.missing_records()) fmt::print("  {}\n", printable(name));
    }
    return exit_fine;
  }

  // Whatever a user may have got wrong is found before anything is measured.
  check_runnable(work);
  check_published(work.config.resolved.value("plots", Json::array()));
  const auto files = asked_files(options, work);
  Recording recording(work, options.to);
  const std::vector<PublishedNumber> published = published_for(recording.name());
  if (options.to.resume && !options.quiet && !options.is_part)
    fmt::print(stderr, "{}\n", printable(recording.what_is_resumed()));
  const bool complete = recording.make(!options.quiet);

  if (!complete) {
    if (!options.is_part) fmt::print(stderr, "interrupted: {}\n", printable(recording.how_to_go_on()));
    return exit_interrupted;
  }
  // Tables are made of the file, as `redbench tables` would make them.
  const StoredRun stored = read_stored_run(recording.folder());
  const PackedRun packed(stored);
  write_tables(packed, published, options.width);
  const RunTables tables = make_tables(packed, published, options.width, !options.json.empty());
  for (const auto& [file, table] : files) file.write(tables.*table);
  const int code = exit_code_of(stored.records);
  if (options.is_part) return code;
  if (!options.quiet) fmt::print("{}\n", tables.terminal);
  if (!options.quiet || code != exit_fine)  // no command fails in silence
    fmt::print(options.quiet ? stderr : stdout, "{}; records and tables are in {}\n",
               outcome_counts(stored.records), printable(recording.folder()));
  return code;
}

}  // namespace redbench
