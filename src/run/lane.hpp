// The worker processes of one board, and what becomes of its cells: the records of a cell's forks become one, and a cell
// at which the board failed is another's.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "src/run/progress.hpp"
#include "src/run/run_tasks.hpp"
#include "src/run/worker_slot.hpp"

namespace redbench {

using Tasks = std::deque<CellTask>;

/// What the lanes of a run have in common.
struct RunState {
  const Work& work;
  const RecordSink& on_record;
  std::size_t forks;
  Progress progress;
  std::map<const Variant*, int> hangs = {};
  std::map<std::size_t, std::string> faults = {};  // of boards, by the cell that they failed at
  std::set<std::size_t> lost = {};                 // boards that get no more cells, by their places

  const std::vector<Board>& boards() const { return work.devices->boards; }
  /// The first that is not lost, or the first.
  std::size_t first_board() const {
    std::size_t first = 0;
    while (lost.contains(first)) ++first;
    return first < boards().size() ? first : 0;
  }
  bool has_another_board() const { return boards().size() > lost.size() + 1; }
};

/// The records of a cell: those of its forks of one case become one. Where several boards share the run they are
/// handed on when the cell is whole.
class CellRecords {
 public:
  /// `session`: the field of that name, where several boards share the run.
  CellRecords(RunState& run, std::size_t session) : run_(run), session_(session) {}

  void start(const CellTask& task);
  /// So many other boards are at work now.
  void see_others(std::size_t others) { others_ = std::max(others_, others); }
  void add(const CellTask& task, const CaseInMode& made, Record record);
  void hand_on(std::size_t cell);

 private:
  struct Pending {
    std::vector<Record> records;
    Json passes = Json::array();
  };

  RunState& run_;
  const std::size_t session_;
  std::size_t others_ = 0;
  std::map<CaseInMode, Pending> pending_;
  std::vector<std::pair<std::size_t, Record>> whole_;  // by the cases' numbers
  std::map<std::size_t, std::size_t> missing_;         // records that each case still lacks
};

/// A worker process for each fork, which do cells one after the other: fork by fork, so that a drift of the machine
/// affects all alike and none disturbs another's times.
class Lane {
 public:
  /// `board`: of several that share the run, by its place; none for the CPU's lane, and for the only device.
  Lane(RunState& run, const WorkerPlace& place, std::optional<std::size_t> board = {});
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  WorkerSlot& slot() const { return *slots_[fork_]; }
  void signal(int number) const {
    for (const auto& slot : slots_) slot->signal(number);
  }
  void see_others(std::size_t others) { records_.see_others(others); }

  /// Goes on with its cell, or begins one of those that wait. False where there is none for it.
  bool keep_busy(Tasks& waiting);
  /// Gives its cell back where its board was at fault. The board that is so twice in a row, or cannot be opened, gets no
  /// other.
  void check_fault(Tasks& waiting);

 private:
  bool may_do(const CellTask& task) const;
  void end_cell();

  RunState& run_;
  const std::optional<std::size_t> board_;
  CellRecords records_;
  std::vector<std::unique_ptr<WorkerSlot>> slots_;  // by fork
  std::optional<CellTask> cell_;
  std::size_t fork_ = 0;  // that does the cell
  int strikes_ = 0;       // cells in a row that its board failed at
};

}  // namespace redbench
