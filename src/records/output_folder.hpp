// The folder of a run: run.json, records.jsonl, tables/, plots/. Where it is, what may be written to it, and
// what is in it.
#pragma once

#include <string>
#include <vector>

#include "src/records/record.hpp"

namespace redbench {

class OutputFolder {
 public:
  /// Throws UsageError where `path` holds something that is no run of redbench's, or cannot be made or
  /// written. Changes nothing but to make it.
  explicit OutputFolder(const std::string& path);

  const std::string& path() const { return path_; }
  std::string run_json() const { return path_ + "/run.json"; }
  std::string records() const { return path_ + "/records.jsonl"; }
  std::string tables() const { return path_ + "/tables"; }

  /// Whether a run is there that may be gone on with.
  bool has_run() const;
  /// The facts of that run.
  Json read_run() const;
  /// Removes an earlier run's files; those that redbench did not write stay.
  void clear() const;

 private:
  std::string path_;
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
  std::string date() const;   // that it was started on: "2026-11-21"
};

/// Throws UsageError where a file is missing or wrong, by file and line.
StoredRun read_stored_run(const std::string& folder);

/// The records that count, sorted.
std::vector<Record> in_plan_order(const std::vector<Record>& records);

/// The folders of runs: `folder` itself, or those below it. Throws UsageError where there is none.
std::vector<std::string> runs_below(const std::string& folder);

}  // namespace redbench
