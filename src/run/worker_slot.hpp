// A worker process that does the tasks it is given, and another one where it dies: what its messages, its death and its
// silence mean for the records of a task.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/run/progress.hpp"
#include "src/run/worker.hpp"
#include "src/run/worker_process.hpp"

namespace redbench {

/// Where the processes of a slot run (WorkerProcess).
struct WorkerPlace {
  std::vector<std::string> variables = {};
  std::vector<int> cores = {};
  /// UUIDs of the GPUs, one for each of the processes that the worker joins, which take part in one worker alone.
  std::vector<std::string> gpus_of_processes = {};
};

class WorkerSlot {
 public:
  using Clock = std::chrono::steady_clock;
  using Made = std::function<void(const CellTask&, const CaseInMode&, Record)>;

  /// `hangs`: how often each variant hung, in any slot. `made` gets each record. `others_could`: whether another device
  /// would do the task where this one is at fault.
  WorkerSlot(const Work& work, WorkerPlace place, std::map<const Variant*, int>& hangs, Progress& progress,
             Made made, std::function<bool()> others_could)
      : work_(work),
        place_(std::move(place)),
        hangs_(hangs),
        progress_(progress),
        made_(std::move(made)),
        others_could_(std::move(others_could)) {}

  bool is_busy() const { return task_.has_value(); }
  /// Gives the process a task, which ends at once where nothing of it is to be tried.
  void take(CellTask task);
  /// Why the device is at fault, for which the task was given up unfinished; empty where it was not.
  const std::string& fault() const { return fault_; }
  /// How much that weighs; at 2 in a row a device is not used again.
  int strikes() const { return strikes_; }
  /// Ends the process; one that others have joined when it has told them.
  void rest();

  /// Only while it is busy.
  WorkerProcess& process() { return *process_; }
  void receive();
  void check_hang();
  double silent_s() const { return seconds_since(last_sign_); }
  /// Of its silence.
  double limit_s() const { return executes_ ? work_.config.measure.hang_s : work_.idle_s; }
  /// The time in which neither this process nor the worker ran counts as no silence.
  void forgive(Clock::duration stopped) {
    last_sign_ += stopped;
    begun_ += stopped;
  }
  void signal(int number) const {
    if (process_) process_->signal(number);
  }

 private:
  void begin();
  void handle(const Json& message);
  void finish(const CaseInMode& made, Record record);
  void end_task();
  std::string why_no_message(const Json& message) const;
  void ended(const std::string& how);
  void resume();
  void give_up(const std::string& fault, int strikes);
  bool is_fault_of_device(const Json& message) const;
  void leave_out_hung();
  const Variant* variant_of(std::size_t number) const {
    return work_.plan.cells[task_->cell].cases[number].variant;
  }
  bool is_running_missing() const;
  /// Whether its process is the one worker that the other processes of the run take part in.
  bool joins() const { return !place_.gpus_of_processes.empty(); }
  void fail_running(Outcome outcome, const std::string& reason);
  void fail_all(Outcome outcome, const std::string& reason);
  void fail(const CaseInMode& missing, Outcome outcome, const std::string& reason);
  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  const Work& work_;
  const WorkerPlace place_;
  std::map<const Variant*, int>& hangs_;
  Progress& progress_;
  const Made made_;
  const std::function<bool()> others_could_;
  std::unique_ptr<WorkerProcess> process_;
  bool has_started_ = false;  // the process has sent a message
  std::optional<CellTask> task_;
  std::string fault_;
  int strikes_ = 0;
  std::optional<std::size_t> running_;  // the case that was executed last
  bool executes_ = false;               // it still is, as far as is known
  bool retried_ = false;                // a process died between two cases, and since then no record came
  Clock::time_point begun_, last_sign_;
};

/// The record of a case that its parent makes, as no worker could.
Record failed_record(const Work& work, std::size_t cell, const CaseInMode& of, Outcome outcome,
                     const std::string& reason);

}  // namespace redbench
