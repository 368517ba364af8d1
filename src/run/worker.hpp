// Cells run in a process apart, which may die: a kernel that hangs or faults costs its case, not the run.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/cell/cell.hpp"
#include "src/run/battery.hpp"
#include "src/run/request.hpp"

namespace redbench {

/// What a process is told to work on. Parent and child make the same plan of it, each on its own.
struct Job {
  enum class Kind : std::uint8_t { run, verify } kind = Kind::run;
  Request request;     // verify: device and overrides.variants alone
  int schedules = 1;   // verify on simt: schedules that each case is run under
  bool races = false;  // verify on simt: every access is checked
  /// verify: what to go through. make_work finds it where it is empty; workers have it from their parent.
  Battery battery{};
};

/// Cells in order, and on what they run. `schedule_seeds` has one entry per cell: the seed of SimtOptions.
struct Work {
  std::unique_ptr<OpenDevices> devices;
  Config config;
  Plan plan;
  CellOptions options;
  std::vector<std::uint64_t> schedule_seeds;
};

/// Throws UsageError.
Work make_work(Job& job);

/// A record that is still wanted: the case's number in its cell, and the mode.
using Wanted = std::pair<std::size_t, Mode>;

/// What is still to be done of a cell.
struct CellTask {
  std::size_t cell;
  std::vector<Wanted> wanted;
};

using RecordSink = std::function<void(std::size_t cell, std::size_t number, Record)>;

/// Runs the tasks in `processes` worker processes at once. Each record is handed to `finished`, in the
/// parent, as it arrives, with the numbers of its cell and of its case there: measured ones, and `failed` or
/// `timeout` for the case that a worker died or was silent on; the rest of that cell is measured again.
/// `shown`: progress goes to the error stream (src/run/progress.hpp).
/// Returns false where a signal (interrupt or terminate) ended it early.
bool run_tasks(const Job& job, const Work& work, std::vector<CellTask> tasks, int processes, bool shown,
               const RecordSink& finished);

/// The child's side: reads the job and its cells from standard input, writes events to descriptor 3. Returns
/// the exit code.
int serve_worker();

}  // namespace redbench
