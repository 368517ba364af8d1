// A plan's records in a folder of their own: made, written as they come, gone on with. What `run` and
// `profile` share.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "src/records/output_folder.hpp"
#include "src/run/request.hpp"
#include "src/run/worker.hpp"

namespace redbench {

/// Where the work is recorded: the folder of the destination, or the usual one.
std::string folder_of(const Work& work, const Destination& to);

/// Throws UsageError, with the first refusal, where no case can run in any mode that is asked for.
void check_runnable(const Work& work);

class Recording {
 public:
  /// Throws UsageError. Changes nothing, but that the folder is made and locked. A cell that is begun in none
  /// of the folder's records is taken from the first of the `others` that has it whole (src/run/
  /// shared_cells.hpp).
  Recording(const Work& work, const Destination& to, const std::vector<StoredRun>& others = {});

  const std::string& folder() const { return folder_.path(); }
  /// Of the run: the config's, as it began.
  std::string name() const { return facts_["name"]; }
  /// Records that the plan asks for, and those of them that are still to be made.
  std::size_t planned() const { return planned_; }
  std::size_t missing() const;
  /// Records that are taken from other runs.
  std::size_t shared() const { return shared_; }

  /// Makes them. `shown`: progress goes to the error stream. Each is handed to `finished` when it has been
  /// written. Returns false where a signal ended it early.
  bool make(bool shown, const std::function<void(const Record&)>& finished = {});

 private:
  bool is_begun(const Cell& cell) const;
  void take_shared_cells(const std::vector<StoredRun>& others);
  void plan_tasks(const std::vector<Record>& records);

  const Work& work_;
  OutputFolder folder_;
  const bool replaces_;
  Json facts_;
  std::vector<Record> kept_;
  std::map<std::string, std::size_t> places_;  // by a case's key, its place in the order of tables
  std::vector<CellTask> tasks_;
  std::size_t planned_ = 0, shared_ = 0;
};

}  // namespace redbench
