// How much longer a run takes: what its plan expects of the cells that remain, times how much longer than
// expected those that are done have taken.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "src/plan/cost.hpp"

namespace redbench {

/// Times are seconds of any clock. Cells are known by their place in the plan.
class TimeLeft {
 public:
  /// `cells`: those to be done. `processes` of them are worked on at once.
  TimeLeft(std::map<std::size_t, CellCost> cells, int processes);

  /// Work on a cell begins, or begins again: its inputs are made.
  void began(std::size_t cell, double now);
  /// A case of it runs. Gives whether that is another part of the work than before.
  bool running(std::size_t cell, std::size_t number, double now);
  void ended(std::size_t cell, double now);

  double seconds(double now) const;

 private:
  /// How long work was expected to take, and took.
  struct Pace {
    double expected = 0, taken = 0;
    /// Taken over expected; that of the kind where little is known.
    double ratio(double of_kind) const;
  };
  struct Work {
    CellCost cost;
    std::vector<double> taken;  // of each part, where there was any
    std::size_t part = 0;       // that is worked on
    double since = 0;           // when that began
  };

  using Name = std::pair<std::string, std::string>;  // kind and of

  void leave_part(Work& work, double now);
  double ratio(const Name& name) const;

  std::map<std::size_t, Work> work_;  // what remains
  std::set<std::size_t> begun_;       // of that
  std::map<Name, double> waiting_;    // seconds of the others, together: there may be many thousands
  std::map<std::string, Pace> kinds_;
  std::map<Name, Pace> paces_;
  int processes_;
};

}  // namespace redbench
