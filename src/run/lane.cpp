#include "src/run/lane.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/cell/forks.hpp"

namespace redbench {

void CellRecords::start(const CellTask& task) {
  others_ = 0;
  pending_.clear();
  whole_.clear();
  missing_.clear();
  for (const auto& [number, mode] : task.missing) ++missing_[number];
}

void CellRecords::add(const CellTask& task, const CaseInMode& made, Record record) {
  auto& [records, passes] = pending_[made];
  records.push_back(std::move(record));
  passes.push_back(task.attempt);
  if (records.size() < run_.forks) return;
  const bool is_mistake = run_.work.plan.cells[task.cell].cases[made.number].is_mistake;
  Record whole = run_.forks == 1 || is_mistake ? std::move(records[0])
                                               : record_of_forks(records, run_.work.config.measure.max_noise);
  if (const auto time = whole.find("time_ns"); time != whole.end() && time->is_number())
    whole["passes"] = std::move(passes);
  whole_.emplace_back(made.number, std::move(whole));
  if (run_.boards().empty()) hand_on(task.cell);
}

void CellRecords::hand_on(std::size_t cell) {
  for (auto& [number, record] : whole_) {
    if (!run_.boards().empty()) {
      record["session"] = session_;
      record["others_sampling"] = others_;
    }
    run_.on_record(cell, std::move(record));
    if (--missing_[number] == 0) run_.progress.count_case();
  }
  whole_.clear();
}

Lane::Lane(RunState& run, const WorkerPlace& place, std::optional<std::size_t> board)
    : run_(run), board_(board), records_(run, board.value_or(run.first_board())) {
  const auto made = [this](const CellTask& task, const CaseInMode& of, Record record) {
    records_.add(task, of, std::move(record));
  };
  const auto others_could = [this] { return board_ && !cell_->lost_by && run_.has_another_board(); };
  for (std::size_t i = 0; i < run.forks; ++i)
    slots_.push_back(
        std::make_unique<WorkerSlot>(run.work, place, run.hangs, run.progress, made, others_could));
}

bool Lane::keep_busy(Tasks& waiting) {
  while (!slot().is_busy()) {
    if (cell_ && fork_ + 1 < slots_.size()) {
      ++fork_;
    } else {
      if (cell_) end_cell();
      const auto next = std::ranges::find_if(waiting, [&](const CellTask& task) { return may_do(task); });
      if (next == waiting.end()) {
        for (const auto& slot : slots_) slot->rest();
        return false;
      }
      cell_ = std::move(*next);
      waiting.erase(next);
      records_.start(*cell_);
    }
    CellTask task = *cell_;
    task.fork = fork_;
    slot().take(std::move(task));
  }
  return true;
}

void Lane::check_fault(Tasks& waiting) {
  if (!cell_ || slot().fault().empty()) return;
  strikes_ += slot().strikes();
  if (strikes_ >= 2 && run_.has_another_board()) run_.lost.insert(*board_);
  run_.faults[cell_->cell] = fmt::format("{}: {}", run_.boards()[*board_].name, slot().fault());
  cell_->lost_by = board_;
  waiting.push_front(*std::exchange(cell_, std::nullopt));
  fork_ = 0;
}

bool Lane::may_do(const CellTask& task) const {
  if (!board_) return true;
  if (run_.lost.contains(*board_)) return false;
  if (task.lost_by) return task.lost_by != board_;
  return !task.board || task.board == board_ || run_.lost.contains(*task.board);
}

void Lane::end_cell() {
  records_.hand_on(cell_->cell);
  cell_.reset();
  fork_ = 0;
  strikes_ = 0;
}

}  // namespace redbench
