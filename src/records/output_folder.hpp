// The folder of a run: run.json, records.jsonl, tables/, plots/.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "src/records/folder_lock.hpp"
#include "src/records/packed_records.hpp"
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

/// A run that was read: run.json and its records in the order of the plan, of each case and mode the last.
struct StoredRun {
  std::string path;
  Json facts;  // run.json
  std::vector<Record> records;
  std::vector<std::string> bad_lines = {};  // what is wrong with them, by file and line
  std::set<std::size_t> sessions = {};      // of records that are kept elsewhere (PackedRun)

  std::string name() const;   // the config's: "martin2012/fig4"
  std::string title() const;  // the config's
  /// Days of its records: "2026-11-21", "2026-11-21 to 2026-11-23".
  std::string date() const;
  /// What differs between the sessions that made its records, measure options first: "max_noise 0.5, 1".
  std::string differences() const;
  /// How many machines made it: "4 boards, 2 hosts". Empty where it is one.
  std::string machines() const;
  /// That its last session did not come to its end. Empty where it did.
  std::string interruption() const;
  /// The sessions that made its records; all of them where it has no record.
  std::vector<Json> sessions_used() const;
};

/// The same for tables and for what else goes through records one by one.
struct PackedRun {
  StoredRun run;  // without its records
  PackedRecords records;

  PackedRun() = default;
  PackedRun(StoredRun stored);
};

/// Paths of the tables of a run.
struct TablePaths {
  std::string csv, cases_csv, markdown, json, report;
};
TablePaths table_paths(const std::string& folder, const std::string& name);
/// All paths of table_paths, of which a run may have only some.
std::vector<std::string> table_files(const std::string& folder, const std::string& name);

/// The sessions of a run: `sessions` of run.json. In an older run.json, which has none, the only session is
/// run.json itself.
std::vector<Json> sessions_of(const Json& facts);

/// run.json as this version writes it: an older one has its only session, and the options of `measure`, in
/// other places.
Json with_sessions(Json facts);

/// Whether a run may have records of several machines, or of several GPUs: what it has of a device was made by machines of one
/// model, each cell by one of them. One that was merged, or is a part (--shard) whose job may go from one
/// machine to another.
bool may_have_machines(const Json& facts);

/// Whether an option of `measure` decides which fields a record has, or whether its interval speaks of one
/// process or of several: the records of a run have it in common. The others decide how many samples there
/// are, which each interval tells.
bool is_of_whole_run(const std::string& option);

/// Parses and checks the text of a run.json. Throws UsageError by place and key.
Json checked_facts(const std::string& text, const std::string& place);
/// The same for a file.
Json read_facts(const std::string& path);

/// Throws UsageError where a file is missing, or run.json is wrong. Lines that are no records are left out
/// and reported (src/records/mistakes.hpp).
StoredRun read_stored_run(const std::string& folder);
PackedRun read_packed_run(const std::string& folder, SampleLists samples = SampleLists::counted);

/// The last record of each case and mode, in the order of the plan.
std::vector<Record> in_plan_order(std::vector<Record> records);

/// Folders of runs: `folder` itself, or all below it but for those that are being replaced. Throws UsageError
/// where there is none.
std::vector<std::string> runs_below(const std::string& folder);
/// The same of several folders: a run that lies in two of them, or goes by two paths, is there once.
std::vector<std::string> runs_below(const std::vector<std::string>& folders);

}  // namespace redbench
