// The parent's side of the workers (src/run/worker.hpp): which process does which cell, and when.
#pragma once

#include <functional>
#include <vector>

#include "src/run/worker.hpp"

namespace redbench {

using RecordSink = std::function<void(std::size_t cell, Record)>;

/// Runs the tasks in `processes` worker processes at once; where several boards share the run, in one for each.
/// Each record is handed to `on_record`, in the parent, as it arrives; of several boards those of a whole cell, with
/// the place of its board as `session`, and the CPU algorithms' after all others. A board that fails twice is left, and
/// the cell that it failed at is another's, once. A case during which a worker died or was silent is `failed` or `timeout`, and
/// another worker measures the rest of its cell. Where times are taken in several forks, that many processes
/// do each task, one after the other, and their records of a case become one (src/cell/forks.hpp). Progress
/// is shown on the error stream where `shown` (src/run/progress.hpp). Returns false where an interrupt, a
/// termination or `Work::until` ended the run.
bool run_tasks(const Work& work, std::vector<CellTask> tasks, int processes, bool shown,
               const RecordSink& on_record);

}  // namespace redbench
