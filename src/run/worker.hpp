// Cells run in a process apart, which may die: a kernel that hangs or faults costs its case, not the run.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "src/run/job.hpp"

namespace redbench {

/// A record that is still wanted: the case's number in its cell, and the mode.
using Wanted = std::pair<std::size_t, Mode>;

/// What is still to be done of a cell.
struct CellTask {
  std::size_t cell;
  std::vector<Wanted> wanted;
  std::size_t pass = 0;  // how often it was begun before: once more by each process that takes over
  std::size_t fork = 0;  // which of `measure.forks` processes does it
};

using RecordSink = std::function<void(std::size_t cell, std::size_t number, Record)>;

/// Runs the tasks in `processes` worker processes at once. Each record is handed to `finished`, in the
/// parent, as it arrives, with the numbers of its cell and of its case there: measured ones, and `failed` or
/// `timeout` for the case that a worker died or was silent on; the rest of that cell is measured by another
/// worker. Where times are taken in several forks, each task is done by as many processes, one after the
/// other, and what they tell of a case is one record (src/cell/forks.hpp): a process lives as long as the
/// run, or until it dies. `shown`: progress goes to the error stream (src/run/progress.hpp). Returns false
/// where a signal (interrupt or terminate) ended it early.
bool run_tasks(const Work& work, std::vector<CellTask> tasks, int processes, bool shown,
               const RecordSink& finished);

/// The child's side: reads the work and its cells from standard input, writes events to descriptor 3. Returns
/// the exit code.
int serve_worker();

}  // namespace redbench
