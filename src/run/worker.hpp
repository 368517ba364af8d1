// Cells run in worker processes, which may die: a kernel that hangs or faults costs its case, not the run.
//
// Parent and worker exchange lines of JSON. The parent writes to the worker's standard input, first the work
// (src/run/job.hpp), then a task whenever the one before is done:
//   {cell, missing, fork}    a CellTask; `missing` is a list of [number, mode]
// The worker writes to descriptor 3; each message is a sign of life, after which silence is judged anew:
//   {up: true}               the work is read and the devices are open; no more than a sign of life
//   {ready: true}            all is set up for tasks
//   {running: number}        the case with this number in the cell is about to execute
//   {alive: true}            no case executes: inputs are made, results compared (CellEvents::alive)
//   {number, mode, record}   the record of a case in a mode
//   {refused: why}           the cell cannot be measured, as an input file has changed; ends the task
//   {done: cell}             ends the task
// Modes go by their names. A case goes by its number in the cell; the field `case` of a record, its place in
// the plan, is the parent's.
#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "src/run/job.hpp"

namespace redbench {

/// A record of a cell, by its case's number there and the mode.
struct CaseInMode {
  std::size_t number;
  Mode mode;
  auto operator<=>(const CaseInMode&) const = default;
};

/// The records of a cell that are still to be made.
struct CellTask {
  std::size_t cell;                 // its place in the plan
  std::vector<CaseInMode> missing;  // shrinks as records arrive
  /// How many workers died or went silent during it before, in this fork: the record's field `passes`.
  std::size_t attempt = 0;
  /// Which of `measure.forks` independent worker processes does it. run_tasks gives each fork a copy.
  std::size_t fork = 0;
  bool has_failed = false;  // in the run that is resumed; not sent
  // Set by run_tasks, and not sent.
  double planned_s = 0;                     // in one fork
  std::optional<std::size_t> board = {};    // the one that is to make it, by its place; none: any
  std::optional<std::size_t> lost_by = {};  // the one that failed at it
};

/// Why a case was not tried whose processes were needed.
constexpr const char* ended_with_another =
    "the processes that share the run ended with a case before; --resume goes on";

Mode mode_named(const std::string& name);
Json to_json(const CellTask& task);

/// The child's side: reads the work and its cells from standard input, writes events to descriptor 3. Returns
/// the exit code. Where a process for each GPU shares the run, they join the worker of the cells of several GPUs.
int serve_worker();

/// Runs a command. Of processes that share the run (src/device/processes.hpp) the first does; each other does what the first
/// one's worker tells it, and nothing where there is none. Parts of a plan are runs of their own.
int run_with_processes(Request& request, const std::function<int()>& command);

}  // namespace redbench
