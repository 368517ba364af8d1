#include "src/run/run_tasks.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "src/interrupt.hpp"
#include "src/plan/cost.hpp"
#include "src/run/lane.hpp"
#include "src/run/machine.hpp"
#include "src/text/printable.hpp"

namespace redbench {
namespace {

using Clock = WorkerSlot::Clock;
using Lanes = std::vector<std::unique_ptr<Lane>>;

volatile sig_atomic_t stop_asked = 0;

/// Catches interrupt, terminate and, unless it is ignored, the terminal's stop for as long as it lives.
class SignalWatch {
 public:
  SignalWatch() {
    stop_asked = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { stop_asked = 1; };
    ::sigaction(SIGTSTP, &action, &stop_);
    if (stop_.sa_handler == SIG_IGN) ::sigaction(SIGTSTP, &stop_, nullptr);
  }
  ~SignalWatch() { ::sigaction(SIGTSTP, &stop_, nullptr); }

 private:
  const InterruptWatch interrupt_ = {};
  struct sigaction stop_;
};

/// Ctrl-Z reaches the parent alone, as each worker leads a group of its own: they stop and continue with it.
void stop_together(const Lanes& lanes) {
  stop_asked = 0;
  for (const auto& lane : lanes) lane->signal(SIGSTOP);
  ::raise(SIGSTOP);
  for (const auto& lane : lanes) lane->signal(SIGCONT);
}

/// Until no task waits that a lane may do. False where a signal or `Work::until` ended it.
bool work_off(RunState& run, const Lanes& lanes, Tasks& waiting) {
  Clock::time_point last_turn = Clock::now();
  while (!InterruptWatch::interrupted() && last_turn < run.work.until) {
    if (stop_asked) stop_together(lanes);
    for (const auto& lane : lanes) lane->check_fault(waiting);
    std::vector<Lane*> busy;
    for (const auto& lane : lanes)
      if (lane->keep_busy(waiting)) busy.push_back(lane.get());
    if (busy.empty()) return true;
    std::vector<WorkerSlot*> slots;
    std::vector<pollfd> descriptors;
    for (Lane* lane : busy) {
      lane->see_others(busy.size() - 1);
      slots.push_back(&lane->slot());
      descriptors.push_back({lane->slot().process().messages(), POLLIN, 0});
      descriptors.push_back({lane->slot().process().unsent(), POLLOUT, 0});
    }
    ::poll(descriptors.data(), descriptors.size(), 200);
    const WorkerSlot& silent = **std::ranges::max_element(slots, {}, &WorkerSlot::silent_s);
    run.progress.show(silent.silent_s(), silent.limit_s());
    // A turn of this loop takes 0.2 s. Where it took longer this process was stopped, and its workers with
    // it.
    const Clock::duration took = Clock::now() - std::exchange(last_turn, Clock::now());
    if (took > std::chrono::seconds(2))
      for (WorkerSlot* slot : slots) slot->forgive(took);
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (descriptors[2 * i + 1].revents) slots[i]->process().send_rest();
      if (descriptors[2 * i].revents) slots[i]->receive();
    }
    // To see one process end may take seconds, in which none of the others was listened to.
    if (Clock::now() - last_turn < std::chrono::seconds(1))
      for (WorkerSlot* slot : slots) slot->check_hang();
  }
  return false;
}

std::string visible(const Board& board) { return "CUDA_VISIBLE_DEVICES=" + board.uuid; }

/// Where the workers of each lane run: those of a GPU on the cores of its NUMA node, which they share with its others.
std::vector<WorkerPlace> places_of(const std::vector<Board>& boards, int processes) {
  const auto with_threads = [](int threads) {
    return std::vector{fmt::format("REDBENCH_SIMT_THREADS={}", threads),
                       fmt::format("OMP_NUM_THREADS={}", threads)};
  };
  // Several processes at once share the cores: each has one thread.
  if (boards.empty())
    return {std::size_t(processes), processes > 1 ? WorkerPlace{with_threads(1), {}} : WorkerPlace{}};
  std::vector<WorkerPlace> places;
  std::map<std::vector<int>, int> sharing;
  for (const Board& board : boards) {
    places.push_back({{}, board.bus_id.empty() ? std::vector<int>() : cores_near(board.bus_id)});
    ++sharing[places.back().cores];
  }
  for (std::size_t i = 0; i < boards.size(); ++i) {
    const std::vector<int>& cores = places[i].cores;
    const int all = omp_get_max_threads();
    places[i].variables =
        with_threads(std::max(1, (cores.empty() ? all : std::min(all, int(cores.size()))) / sharing[cores]));
    if (!boards[i].uuid.empty()) places[i].variables.push_back(visible(boards[i]));
  }
  return places;
}

/// Takes the CPU algorithms from the tasks: their times are taken when no GPU is at work.
Tasks take_those_of_host(const Work& work, Tasks& tasks) {
  Tasks of_host;
  for (CellTask& task : tasks) {
    const std::vector<Case>& cases = work.plan.cells[task.cell].cases;
    CellTask other = task;
    const auto split = std::ranges::stable_partition(task.missing, [&](const CaseInMode& wanted) {
      return work.device_of(cases[wanted.number]).target() != Target::host;
    });
    other.missing.assign(split.begin(), split.end());
    task.missing.erase(split.begin(), split.end());
    other.planned_s *= double(other.missing.size()) / double(other.missing.size() + task.missing.size());
    task.planned_s -= other.planned_s;
    if (!other.missing.empty()) of_host.push_back(std::move(other));
  }
  std::erase_if(tasks, [](const CellTask& task) { return task.missing.empty(); });
  return of_host;
}

/// Takes the cells that are spread over several GPUs from the tasks: they run when no GPU is at work.
Tasks take_those_of_gpus(const Work& work, Tasks& tasks) {
  const auto of_one = [&](const CellTask& task) { return gpus_of(work.plan.cells[task.cell].input) == 1; };
  const auto split = std::ranges::stable_partition(tasks, of_one);
  Tasks taken(std::make_move_iterator(split.begin()), std::make_move_iterator(split.end()));
  tasks.erase(split.begin(), split.end());
  return taken;
}

/// Each cell is always the same board's, as times of two boards may differ.
void assign_boards(const Work& work, Tasks& tasks) {
  const std::vector<std::size_t> parts = parts_of(
      cell_weights(work.plan, work.config.measure, work.options.timing), work.devices->boards.size());
  for (CellTask& task : tasks) task.board = parts[task.cell] - 1;
}

/// What another board was to make, and none is left.
void fail_rest(const RunState& run, const Tasks& rest,
               const std::function<std::string(const CellTask&)>& why) {
  for (const CellTask& task : rest)
    for (const CaseInMode& missing : task.missing)
      run.on_record(task.cell, failed_record(run.work, task.cell, missing, Outcome::failed, why(task)));
}

/// With all cores. The GPU that it opens and leaves idle is one that still can be opened.
WorkerPlace place_of_host(const RunState& run) {
  for (std::size_t i = 0; i < run.boards().size(); ++i)
    if (const Board& board = run.boards()[i]; !run.lost.contains(i) && !board.uuid.empty())
      return {{visible(board)}, {}};
  return {};
}

/// With all GPUs that are left, and all cores.
WorkerPlace place_of_gpus(const RunState& run) {
  WorkerPlace place;
  std::vector<std::string> left;
  for (std::size_t i = 0; i < run.boards().size(); ++i)
    if (!run.lost.contains(i)) left.push_back(run.boards()[i].uuid);
  if (!left.empty() && !left[0].empty())
    place.variables = {fmt::format("CUDA_VISIBLE_DEVICES={}", fmt::join(left, ","))};
  if (run.work.devices->processes > 1) place.gpus_of_processes = left;
  return place;
}

}  // namespace

bool run_tasks(const Work& work, std::vector<CellTask> tasks, int processes, bool shown,
               const RecordSink& on_record) {
  const SignalWatch watch;
  const std::vector<Board>& boards = work.devices->boards;
  const std::size_t forks = work.kind == Job::Kind::run ? forks_of(work.plan, work.config.measure) : 1;
  // Several processes at once are `verify`'s, which takes no times, or of several boards.
  assert(forks == 1 || processes == 1);
  const std::vector<double> planned_s =
      cell_seconds(work.plan, work.config.measure, work.devices->devices(), work.kind == Job::Kind::run);
  double all_s = 0;
  std::set<std::pair<std::size_t, std::size_t>> cases;
  for (CellTask& task : tasks) {
    for (const auto& [number, mode] : task.missing) cases.emplace(task.cell, number);
    task.planned_s = planned_s[task.cell];
    all_s += double(forks) * task.planned_s;
  }
  Tasks waiting(std::make_move_iterator(tasks.begin()), std::make_move_iterator(tasks.end())), of_host,
      of_gpus;
  if (!boards.empty()) {
    of_gpus = take_those_of_gpus(work, waiting);
    // What ends the processes that share the run is to end as few cells as possible.
    if (work.devices->processes > 1) std::ranges::stable_sort(of_gpus, {}, &CellTask::has_failed);
    if (work.kind == Job::Kind::run) of_host = take_those_of_host(work, waiting);
    std::ranges::stable_sort(waiting, std::greater(), &CellTask::planned_s);
    if (work.has_fixed_boards) assign_boards(work, waiting);
  }
  const std::vector<WorkerPlace> places = places_of(boards, processes);
  RunState run{work, on_record, forks, Progress(shown, work.plan, all_s, cases.size(), int(places.size()))};
  Lanes lanes;
  for (const WorkerPlace& place : places)
    lanes.push_back(boards.empty() ? std::make_unique<Lane>(run, place)
                                   : std::make_unique<Lane>(run, place, lanes.size()));
  bool complete = work_off(run, lanes, waiting);
  if (complete)
    fail_rest(run, waiting,
              [&](const CellTask& task) { return run.faults.at(task.cell) + "; no other GPU is left"; });
  const auto work_alone = [&](const WorkerPlace& place, Tasks& alone) {
    if (!complete || alone.empty()) return;
    lanes.clear();
    lanes.push_back(std::make_unique<Lane>(run, place));
    complete = work_off(run, lanes, alone);
  };
  // First, as processes that share the run may be left waiting on cores by a case of several GPUs that hung.
  work_alone(place_of_host(run), of_host);
  const std::size_t left = boards.size() - run.lost.size(), sharing = std::size_t(work.devices->processes);
  if (complete && sharing > 1 && left < sharing)
    fail_rest(run, std::exchange(of_gpus, {}), [&](const CellTask&) {
      return fmt::format("{} GPUs are left, and {} processes share the run", left, sharing);
    });
  work_alone(place_of_gpus(run), of_gpus);
  for (const auto& [cell, fault] : run.faults) fmt::print(stderr, "redbench: {}\n", printable(fault));
  for (const std::size_t board : run.lost)
    fmt::print(stderr, "redbench: {} got no more cells\n", boards[board].name);
  return complete;
}

}  // namespace redbench
