// A run that was read: run.json and its records, and what these say of it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "src/records/packed_records.hpp"
#include "src/records/record.hpp"

namespace redbench {

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
