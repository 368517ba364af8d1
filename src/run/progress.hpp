// How far a run is, on the error stream: one line that changes on a terminal, a line now and then elsewhere.
#pragma once

#include <chrono>
#include <string>

namespace redbench {

class Progress {
 public:
  Progress(bool shown, std::size_t cells, std::size_t records);
  ~Progress();  // takes its line away
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A record of this cell (counted from 0) has come in; `what` names it.
  void finished(std::size_t cell, const std::string& what);

 private:
  using Clock = std::chrono::steady_clock;
  bool shown_, terminal_, line_is_up_ = false;
  std::size_t cells_, records_, done_ = 0;
  Clock::time_point start_ = Clock::now(), last_;
};

}  // namespace redbench
