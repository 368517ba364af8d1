// Cells run in worker processes, which may die: a kernel that hangs or faults costs its case, not the run.
#pragma once

#include <functional>
#include <utility>
#include <vector>

#include "src/run/job.hpp"

namespace redbench {

/// A record that is still to be made: the case's number in its cell, and the mode.
using Wanted = std::pair<std::size_t, Mode>;

/// What is still to be done of a cell.
struct CellTask {
  std::size_t cell;
  std::vector<Wanted> wanted;
  std::size_t pass = 0;  // how many processes have begun it before
  std::size_t fork = 0;  // which of `measure.forks` processes does it
};

using RecordSink = std::function<void(std::size_t cell, Record)>;

/// Runs the tasks in `processes` worker processes at once. Each record is handed to `finished`, in the
/// parent, as it arrives. A case during which a worker died or was silent is `failed` or `timeout`, and
/// another worker measures the rest of its cell. Where times are taken in several forks, that many processes
/// do each task, one after the other, and their records of a case become one (src/cell/forks.hpp). Progress
/// is shown on the error stream where `shown` (src/run/progress.hpp). Returns false where an interrupt or a
/// termination ended the run.
bool run_tasks(const Work& work, std::vector<CellTask> tasks, int processes, bool shown,
               const RecordSink& finished);

/// The child's side: reads the work and its cells from standard input, writes events to descriptor 3. Returns
/// the exit code.
int serve_worker();

}  // namespace redbench
