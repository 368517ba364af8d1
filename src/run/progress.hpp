// The progress of a run on the error stream: one line that is redrawn on a terminal, a line now and then
// elsewhere.
#pragma once

#include <string>

#include "src/plan/plan.hpp"
#include "src/text/progress_line.hpp"

namespace redbench {

/// Seconds that are left `since_s` after the last cell was done: `left_s`, planned for the cells that are not
/// done, times what the others took, `taken_s`, over what was planned for them, `done_s`.
double seconds_left(double left_s, double done_s, double taken_s, double since_s);

struct ProgressState {
  std::size_t done = 0, all = 0;  // cases; one is done when it has its records of all forks and modes
  double seconds = 0, left = 0;   // since the start, and until the end
  std::string what;               // the case, or the inputs that are made
  /// Since the last sign of life of what is under way, and after which of them it is stopped.
  double silent = 0, limit = 0;
};

/// "[######........]  12 of 45 cases, 3 min left  reduce/harris3 n=1048576 ...", cut to `width` characters.
/// The bar shows time, not cases. What is silent for ten seconds, or half its limit, may hang: its silence and
/// its limit stand there in place of the time left, which nobody knows then.
std::string progress_line(const ProgressState& state, std::size_t width);

class Progress {
 public:
  /// `planned_s`: seconds of all cells, of which `processes` are worked on at once. `cases`: of how many the
  /// records will come in.
  Progress(bool shown, const Plan& plan, double planned_s, std::size_t cases, int processes);

  /// The inputs of this cell are made, or one of its cases runs.
  void making_inputs(std::size_t cell);
  void running(std::size_t cell, std::size_t number);
  /// A cell is done: the seconds that were planned for it, and that it took.
  void ended(double planned_s, double taken_s);
  /// A case has all its records.
  void count_case();
  /// Draws the line where it is time to. Called a few times a second, it shows the time that passes. What is
  /// under way has been silent for `silent_s`, and is stopped after `limit_s`.
  void show(double silent_s = 0, double limit_s = 0);

 private:
  bool shown_;
  ProgressLine line_{0};
  const Plan& plan_;
  /// Planned for the cells that are not done, planned for those that are, and what these took: sums over all
  /// processes.
  double left_s_, done_s_ = 0, taken_s_ = 0;
  int processes_;
  ProgressState state_;
  double last_end_ = 0;  // when a cell was done
};

}  // namespace redbench
