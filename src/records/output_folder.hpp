// The folder of a run: run.json, records.jsonl, tables/, plots/. Where it is, what may be written to it, and
// what is in it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/records/folder_lock.hpp"
#include "src/records/record.hpp"

namespace redbench {

/// A folder to write a run into, locked for as long as this lives.
class OutputFolder {
 public:
  /// Throws UsageError where `path` holds something that is no run of redbench's, cannot be made or written,
  /// or is written to by another process. Changes nothing but to make it.
  explicit OutputFolder(const std::string& path);

  const std::string& path() const { return path_; }
  std::string run_json() const { return path_ + "/run.json"; }
  std::string records() const { return path_ + "/records.jsonl"; }
  std::string tables() const { return path_ + "/tables"; }

  bool has_run() const;
  /// The facts of that run, unchecked: enough to say which it is and to remove it.
  Json read_run() const;
  /// Throws UsageError where something is in the way of the records or of the tables of a run of this name,
  /// which are written when all is measured.
  void check_results_fit(const std::string& name) const;
  /// Removes the records, tables and plots of that run, by the names that redbench gives them. Other files
  /// stay, and so does run.json, which is to be replaced: what is left after a kill is known as a run.
  void remove_results() const;

 private:
  std::string path_;
  std::unique_ptr<FolderLock> lock_;
};

/// Where a run's folder is, unless it is told: "results/h200/martin2012/fig4".
std::string results_folder(const std::string& device_slug, const std::string& config_name);

/// A run that was made: its facts (run.json) and its records, in the order of the plan. Of several records of
/// one case in one mode, the last.
struct StoredRun {
  std::string path;
  Json facts;
  std::vector<Record> records;

  std::string name() const;   // the config's: "martin2012/fig4"
  std::string title() const;  // the config's
  /// The days that its records are of: "2026-11-21", "2026-11-21 to 2026-11-23".
  std::string date() const;
  /// What the sessions that made its records do not have in common, measure options first: "max_noise 0.5,
  /// 1". Empty where there is one, or they agree.
  std::string differences() const;

 private:
  std::vector<Json> sessions_used() const;
};

/// Every file of tables that a run of this name may have in its folder.
std::vector<std::string> table_files(const std::string& folder, const std::string& name);

/// What is known of each session of a run: `sessions` of run.json. A run.json without them is of one, whose
/// facts it holds itself, as it did before there were sessions.
std::vector<Json> sessions_of(const Json& facts);

/// The facts in a text of run.json. Throws UsageError by place and key where that is none.
Json checked_facts(const std::string& text, const std::string& place);
/// The same of the file.
Json read_facts(const std::string& path);

/// Throws UsageError where a record's session is none of the facts'. `folder`: for the message.
void check_sessions(const Json& facts, const std::vector<Record>& records, const std::string& folder);

/// Throws UsageError where a file is missing or wrong, by file and line.
StoredRun read_stored_run(const std::string& folder);

/// The records that count, sorted.
std::vector<Record> in_plan_order(const std::vector<Record>& records);

/// The folders of runs: `folder` itself, or those below it. Throws UsageError where there is none.
std::vector<std::string> runs_below(const std::string& folder);

}  // namespace redbench
