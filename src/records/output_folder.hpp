// The folder that a run is written into: run.json, records.jsonl, tables/, plots/.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "src/records/folder_lock.hpp"
#include "src/records/record.hpp"

namespace redbench {

/// A folder to write a run into, locked while this lives.
class OutputFolder {
 public:
  static constexpr const char* aside_name = "replaced";
  static constexpr const char* unreadable_name = "records.unreadable.jsonl";

  /// Makes the folder. Throws UsageError where `path` holds files but no run of redbench, cannot be made or
  /// written, or is locked by another process.
  explicit OutputFolder(const std::string& path);

  const std::string& path() const { return path_; }
  std::string run_json() const { return path_ + "/run.json"; }
  std::string records() const { return path_ + "/records.jsonl"; }
  std::string tables() const { return path_ + "/tables"; }

  bool has_run() const;
  /// run.json unchecked: enough to say which run it is, and to remove it.
  Json read_run() const;
  /// Throws UsageError where something is in the way of the records and tables of a run of this name, which
  /// are written only after hours of measuring.
  void check_results_fit(const std::string& name) const;
  /// Puts a run that is to be replaced aside: records, tables and plots, by the names that redbench gives
  /// them, and a copy of run.json, into a folder of their own, which is a run, too. All other files stay. A
  /// run that is there already is kept instead, as the one that was to replace it has not ended. A process
  /// that is killed meanwhile leaves the run whole, here or there.
  void set_aside() const;
  /// Where that is.
  std::string aside() const { return path_ + "/" + aside_name; }
  /// Adds lines of records.jsonl that are no records to the file of those, as records.jsonl is written
  /// without them.
  void keep_unreadable(const std::vector<BadLine>& lines) const;
  /// Removes what was put aside, by the same names; nothing where nothing was.
  void remove_aside() const;

 private:
  std::string path_;
  std::unique_ptr<FolderLock> lock_;
};

/// Default folder of a run: "results/h200/martin2012/fig4".
std::string results_folder(const std::string& device_slug, const std::string& config_name);

/// Paths of the tables of a run.
struct TablePaths {
  std::string csv, cases_csv, markdown, json, report;
};
TablePaths table_paths(const std::string& folder, const std::string& name);
/// All paths of table_paths, of which a run may have only some.
std::vector<std::string> table_files(const std::string& folder, const std::string& name);

}  // namespace redbench
