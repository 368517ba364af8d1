#include "src/merge/merge.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "src/error.hpp"
#include "src/merge/join.hpp"
#include "src/records/mistakes.hpp"
#include "src/records/output_file.hpp"
#include "src/records/output_folder.hpp"
#include "src/run/run_facts.hpp"
#include "src/tables/run_tables.hpp"
#include "src/text/counted.hpp"
#include "src/text/printable.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

/// Where each joined run goes, below the folder that is written, and the runs that it is made of.
using Groups = std::map<std::string, std::vector<std::string>>;

bool is_run(const std::string& folder) {
  std::error_code error;
  return fs::exists(folder + "/run.json", error) || fs::exists(records_of(folder), error);
}

/// The folders without those of parts that have no cell, of which `reproduce --shard` leaves an empty one.
std::vector<std::string> with_runs(const std::vector<std::string>& folders) {
  std::error_code error;
  std::vector<std::string> found;
  for (const std::string& folder : folders)
    if (!fs::is_directory(folder, error) || !fs::is_empty(folder, error)) found.push_back(folder);
  return found.empty() ? folders : found;
}

/// Runs go into one; runs below folders, by their path there.
Groups groups_of(const MergeOptions& options) {
  Groups groups;
  const std::vector<std::string> folders = with_runs(options.folders);
  for (const std::string& folder : folders) {
    if (is_run(folder) != is_run(folders[0]))
      throw UsageError(fmt::format("{} is a run, and {} is none: folders of runs go with each other",
                                   is_run(folder) ? folder : folders[0],
                                   is_run(folder) ? folders[0] : folder));
    for (const std::string& run : is_run(folder) ? std::vector{folder} : runs_below(folder))
      groups[fs::path(run).lexically_relative(folder).lexically_normal().generic_string()].push_back(run);
  }
  std::set<std::string> names;  // of one folder's runs: of one config they would be left apart
  for (const auto& [below, runs] : groups)
    if (options.folders.size() == 1 && !names.insert(read_facts(runs[0] + "/run.json")["name"]).second)
      throw UsageError(
          fmt::format("{0}: is no run, and has several of one config; name them: {0}/*", options.folders[0]));
  return groups;
}

JoinedRun read_and_join(const std::vector<std::string>& folders) {
  JoinedRun run({folders.begin(), folders.end()});
  for (const RunPart& part : run.parts())
    for (const std::string& mistake : part.mistakes) report_mistake(mistake + "; its case is left out");
  return run;
}

/// A joined run, and its folder, which is locked.
struct Output {
  OutputFolder folder;
  JoinedRun run;
  std::vector<PublishedNumber> published;
};

std::unique_ptr<Output> checked_output(const std::string& path, JoinedRun run, bool replace) {
  auto output = std::make_unique<Output>(Output{OutputFolder(path), std::move(run), {}});
  if (output->folder.has_run() && !replace)
    throw UsageError(fmt::format("{}: holds a run of {}; --replace removes it, --out chooses another folder",
                                 path, shown_config(output->folder.read_run())));
  const std::string name = output->run.facts["name"];
  output->folder.check_results_fit(name);
  output->published = published_for(name);
  return output;
}

std::string beside(const std::string& path) { return path + ".part"; }

/// Both files, on the disk, beside where they belong. Returns the number of records.
std::size_t write_beside(const Output& output) {
  NewFile file(beside(output.folder.records()));
  const std::size_t count = output.run.give_records([&](std::string_view text) { file.add(text); });
  file.finish();
  write_file(beside(output.folder.run_json()), text_of_facts(output.run.facts));
  return count;
}

void remove_beside(const Output& output) {
  std::error_code error;
  for (const std::string& path : {output.folder.records(), output.folder.run_json()})
    fs::remove(beside(path), error);
}

void put_in_place(const Output& output) {
  if (output.folder.has_run()) output.folder.set_aside();
  for (const std::string& path : {output.folder.run_json(), output.folder.records()})
    fs::rename(beside(path), path);
  output.folder.remove_aside();
}

/// All runs are on the disk before the first gets its place. Returns the number of records of each.
std::vector<std::size_t> write(const std::vector<std::unique_ptr<Output>>& outputs) {
  std::vector<std::size_t> counts;
  try {
    for (const auto& output : outputs) counts.push_back(write_beside(*output));
  } catch (...) {
    for (const auto& output : outputs) remove_beside(*output);
    throw;
  }
  for (const auto& output : outputs) put_in_place(*output);
  return counts;
}

void print(const Output& output, std::size_t count) {
  const JoinedRun& run = output.run;
  fmt::print("{}: {} of {}", printable(output.folder.path()), counted(count, "record"),
             counted(run.parts().size(), "run"));
  if (run.unmeasured > 0)
    fmt::print("; {} of {} cases have none: redbench run {} --resume --out {} makes them", run.unmeasured,
               run.cases, printable(run.facts["config_path"].get<std::string>()),
               printable(output.folder.path()));
  fmt::print("\n");
}

}  // namespace

int merge(const MergeOptions& options) {
  if (options.folders.empty()) throw UsageError("redbench merge: the folders of the runs are missing");
  if (options.out.empty()) throw UsageError("redbench merge: the folder to write is missing, --out DIR");
  const Groups groups = groups_of(options);
  std::map<std::string, JoinedRun> runs;
  for (const auto& [below, folders] : groups) {
    const std::string out = (below == "." ? fs::path(options.out) : fs::path(options.out) / below).string();
    for (const std::string& folder : folders)
      if (std::error_code error; fs::equivalent(folder, out, error))
        throw UsageError(fmt::format("--out {}: is one of the runs that are merged; choose another", out));
    runs.emplace(out, read_and_join(folders));
  }
  std::vector<std::unique_ptr<Output>> outputs;
  for (auto& [out, run] : runs) outputs.push_back(checked_output(out, std::move(run), options.replace));
  const std::vector<std::size_t> counts = write(outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    write_tables(read_packed_run(outputs[i]->folder.path()), outputs[i]->published, options.width);
    print(*outputs[i], counts[i]);
  }
  return exit_fine;
}

}  // namespace redbench
