// A plan's records in a folder of their own, written as they are made; a run that was there may be resumed.
// `run`, `profile` and `reproduce` share it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "src/records/output_folder.hpp"
#include "src/records/stored_run.hpp"
#include "src/run/request.hpp"
#include "src/run/worker.hpp"

namespace redbench {

/// Where the work is recorded: the destination's folder, or results/DEVICE/CONFIG.
std::string folder_of(const Work& work, const Destination& to);

class Recording {
 public:
  /// Makes and locks the folder, and changes nothing else. A cell of which the folder has no record is taken
  /// from the first of the `others` that has it whole (src/run/planned_records.hpp). Throws UsageError.
  Recording(const Work& work, const Destination& to, const std::vector<StoredRun>& others = {});

  const std::string& folder() const { return folder_.path(); }
  /// The run's name: that of the config with which it began.
  std::string name() const { return facts_["name"]; }
  /// The number of records that the plan asks for, and of those that are still to be made.
  std::size_t planned() const { return planned_; }
  std::size_t missing() const;
  /// Of a run that is resumed: "40 of 60 records are there, 20 are to be made; measure.max_samples is 50
  /// there, 60 here".
  std::string what_is_resumed() const;
  /// The cases and modes of the records that are still to be made.
  std::vector<std::string> missing_records() const;
  /// After an interruption: "3 of 12 records are in DIR; the same command with --resume goes on", and where
  /// the run is that was to be replaced.
  std::string how_to_go_on() const;
  /// The number of records that are taken from other runs.
  std::size_t shared() const { return shared_; }

  /// Makes the missing records; progress goes to the error stream where `shown`. `written` gets each record
  /// after it was written. Returns false where a signal ended it early.
  bool make(bool shown, const std::function<void(const Record&)>& written = {});

 private:
  void take_shared_cells(const std::vector<StoredRun>& others);
  void plan_tasks();
  bool is_elsewhere(const Record& record) const;

  const Work& work_;
  OutputFolder folder_;
  const bool replaces_;
  std::string measured_otherwise_;  // EarlierRun
  Json facts_;                      // run.json
  Json here_;                 // of a run that may have several machines: the facts of a session on this one
  std::vector<Record> kept_;  // that were there, or are taken from other runs
  std::vector<BadLine> bad_;  // EarlierRun
  /// The field `case` by key_by_contents: the place in the plan of the larger config, then kept records of
  /// neither.
  std::map<std::string, std::size_t> number_in_table_;
  std::vector<CellTask> tasks_;
  std::size_t planned_ = 0, shared_ = 0, made_ = 0;
};

}  // namespace redbench
