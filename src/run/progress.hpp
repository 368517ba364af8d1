// The progress of a run on the error stream: one line that is redrawn on a terminal, a line now and then
// elsewhere.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "src/plan/plan.hpp"

namespace redbench {

/// How much longer a run takes: what its plan expects of the cells that remain, times how much longer than
/// expected those that are done have taken. Times are seconds of any clock, cells are known by any number.
class TimeLeft {
 public:
  /// `cells`: the seconds that each is expected to take. `processes` of them are worked on at once.
  TimeLeft(std::map<std::size_t, double> cells, int processes);

  /// Work on a cell begins, or begins again.
  void began(std::size_t cell, double now) { begun_[cell] = now; }
  void ended(std::size_t cell, double now);
  double seconds(double now) const;

 private:
  std::map<std::size_t, double> expected_;  // of the cells that have not ended
  std::map<std::size_t, double> begun_;     // when
  double done_expected_ = 0, done_taken_ = 0;
  int processes_;
};

struct ProgressState {
  std::size_t done = 0, all = 0;  // cases; one is done when it has its records of all forks and modes
  double seconds = 0, left = 0;
  std::string what;  // the case, or the inputs that are made
};

/// "[######........]  12 of 45 cases, 3 min left  reduce/harris3 n=1048576 ...", cut to `width` characters.
/// The bar shows time, not cases.
std::string progress_line(const ProgressState& state, std::size_t width);

class Progress {
 public:
  /// `cells`: the expected seconds of those to be done, by their places in the plan; what is done of a cell
  /// in another process is a cell of its own, whose place is that of the cell plus a multiple of the plan's
  /// cells. `cases`: of how many the records will come in.
  Progress(bool shown, const Plan& plan, std::map<std::size_t, double> cells, std::size_t cases,
           int processes);
  ~Progress();  // removes its line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A worker is ready for this cell and makes its inputs.
  void began(std::size_t cell);
  void running(std::size_t cell, std::size_t number);
  void ended(std::size_t cell) { time_left_.ended(cell, now()); }
  /// A case has all its records.
  void count_case();
  /// Draws the line where it is time to. Called a few times a second, it shows the time that passes.
  void show();

 private:
  using Clock = std::chrono::steady_clock;
  double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  bool shown_, terminal_, line_is_up_ = false;
  const Plan& plan_;
  TimeLeft time_left_;
  ProgressState state_;
  Clock::time_point start_ = Clock::now();
  double last_ = 0;  // when a line was last written
};

}  // namespace redbench
