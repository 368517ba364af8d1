// The progress of a run on the error stream: one line that is redrawn on a terminal, a line now and then
// elsewhere.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "src/run/time_left.hpp"

namespace redbench {

struct ProgressState {
  std::size_t done = 0, all = 0;  // cases
  double seconds = 0, left = 0;
  std::string what;  // the case or the inputs under way
};

/// "[######........]  12 of 45 cases, 3 min left  reduce/harris3 n=1048576 ...", cut to `width` characters.
/// The bar is of the time, not of the cases.
std::string progress_line(const ProgressState& state, std::size_t width);

/// Seconds from one line of a log to the next; they grow with the time that the run has taken.
double log_pause(double seconds);

class Progress {
 public:
  /// `cells` are to be done, by their numbers in the plan; each further fork of a cell has the cell's number
  /// plus a multiple of the plan's cells. `records` will come in. All events below are written with their
  /// times to the path in the environment variable REDBENCH_TIMELINE, as JSON that the tests of TimeLeft
  /// replay.
  Progress(bool shown, const Plan& plan, std::map<std::size_t, CellCost> cells, std::size_t records,
           int processes);
  ~Progress();  // removes its line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A worker is ready for this cell and makes its inputs.
  void began(std::size_t cell);
  void running(std::size_t cell, std::size_t number);
  void ended(std::size_t cell);
  /// A record has come in.
  void finished();
  /// To be called a few times a second, so that the line shows the time that passes.
  void waiting() { show(); }

 private:
  using Clock = std::chrono::steady_clock;
  double now() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
  void note(const char* event, std::size_t cell, std::size_t number = 0);
  void show();

  bool shown_, terminal_, line_is_up_ = false;
  const Plan& plan_;
  TimeLeft time_left_;
  ProgressState state_;
  Clock::time_point start_ = Clock::now();
  double last_ = 0;  // when a line was last written, seconds
  Json timeline_;
};

}  // namespace redbench
