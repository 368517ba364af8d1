// How much longer a run takes: what its plan expects of the cells that remain, times how much longer than
// expected those that are done have taken.
#pragma once

#include <map>

namespace redbench {

/// Times are seconds of any clock. Cells are known by any number.
class TimeLeft {
 public:
  /// `cells`: the seconds that each is expected to take. `processes` of them are worked on at once.
  TimeLeft(std::map<std::size_t, double> cells, int processes);

  /// Work on a cell begins, or begins again.
  void began(std::size_t cell, double now);
  void ended(std::size_t cell, double now);

  double seconds(double now) const;

 private:
  double pace() const;  // seconds taken for each that was expected

  std::map<std::size_t, double> expected_;  // of the cells that have not ended
  std::map<std::size_t, double> begun_;     // when
  double done_expected_ = 0, done_taken_ = 0;
  int processes_;
};

}  // namespace redbench
