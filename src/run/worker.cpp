#include "src/run/worker.hpp"

#include <fmt/format.h>
#include <omp.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <deque>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "src/cell/forks.hpp"
#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/plan/cost.hpp"
#include "src/records/check.hpp"
#include "src/records/output_file.hpp"
#include "src/records/record.hpp"
#include "src/run/machine.hpp"
#include "src/run/worker_slot.hpp"
#include "src/text/printable.hpp"

namespace redbench {
namespace {

using Clock = WorkerSlot::Clock;
using Tasks = std::deque<CellTask>;

volatile sig_atomic_t interrupted = 0, stop_asked = 0;

/// Catches interrupt, terminate and, unless it is ignored, the terminal's stop for as long as it lives.
class SignalWatch {
 public:
  SignalWatch() {
    interrupted = 0;
    stop_asked = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = 1; };
    ::sigaction(SIGINT, &action, &interrupt_);
    ::sigaction(SIGTERM, &action, &terminate_);
    action.sa_handler = [](int) { stop_asked = 1; };
    ::sigaction(SIGTSTP, &action, &stop_);
    if (stop_.sa_handler == SIG_IGN) ::sigaction(SIGTSTP, &stop_, nullptr);
  }
  ~SignalWatch() {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGTERM, &terminate_, nullptr);
    ::sigaction(SIGTSTP, &stop_, nullptr);
  }

 private:
  struct sigaction interrupt_, terminate_, stop_;
};

/// What the lanes of a run have in common.
struct Run {
  const Work& work;
  const RecordSink& on_record;
  std::size_t forks;
  Progress progress;
  std::size_t lanes;
  std::map<const Variant*, int> hangs = {};
  std::map<std::size_t, std::string> faults = {};  // of boards, by the cell that they failed at
  std::map<std::size_t, std::string> left = {};    // boards that get no more cells, by their places: why

  bool has_boards() const { return !work.devices->boards.empty(); }
};

/// The records of a cell: those of its forks of one case become one. Where several boards share the run they are
/// handed on when the cell is whole.
class CellRecords {
 public:
  CellRecords(Run& run, std::size_t board) : run_(run), board_(board) {}

  void start(const CellTask& task) {
    others_ = 0;
    pending_.clear();
    whole_.clear();
    missing_.clear();
    for (const auto& [number, mode] : task.missing) ++missing_[number];
  }
  /// So many other boards are at work now.
  void see_others(std::size_t others) { others_ = std::max(others_, others); }

  void add(const CellTask& task, const CaseInMode& made, Record record) {
    auto& [records, passes] = pending_[made];
    records.push_back(std::move(record));
    passes.push_back(task.attempt);
    if (records.size() < run_.forks) return;
    Record whole = run_.forks == 1 ? std::move(records[0])
                                   : record_of_forks(records, run_.work.config.measure.max_noise);
    if (const auto time = whole.find("time_ns"); time != whole.end() && time->is_number())
      whole["passes"] = std::move(passes);
    whole_.emplace_back(made.number, std::move(whole));
    if (!run_.has_boards()) hand_on(task.cell);
  }

  void hand_on(std::size_t cell) {
    for (auto& [number, record] : whole_) {
      if (run_.has_boards()) {
        record["session"] = board_;
        record["others_sampling"] = others_;
      }
      run_.on_record(cell, std::move(record));
      if (--missing_[number] == 0) run_.progress.count_case();
    }
    whole_.clear();
  }

 private:
  struct Pending {
    std::vector<Record> records;
    Json passes = Json::array();
  };

  Run& run_;
  const std::size_t board_;
  std::size_t others_ = 0;
  std::map<CaseInMode, Pending> pending_;
  std::vector<std::pair<std::size_t, Record>> whole_;  // by the cases' numbers
  std::map<std::size_t, std::size_t> missing_;         // records that each case still lacks
};

/// A worker process for each fork, which do cells one after the other: fork by fork, so that a drift of the machine
/// affects all alike and none disturbs another's times.
class Lane {
 public:
  Lane(Run& run, std::size_t number, const WorkerPlace& place)
      : run_(run), number_(number), records_(run, number) {
    const auto made = [this](const CellTask& task, const CaseInMode& of, Record record) {
      records_.add(task, of, std::move(record));
    };
    for (std::size_t i = 0; i < run.forks; ++i)
      slots_.push_back(std::make_unique<WorkerSlot>(run.work, place, run.hangs, run.progress, made,
                                                    [this] { return could_others(); }));
  }
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  WorkerSlot& slot() const { return *slots_[fork_]; }
  void signal(int number) const {
    for (const auto& slot : slots_) slot->signal(number);
  }
  void see_others(std::size_t others) { records_.see_others(others); }

  /// Goes on with its cell, or begins one of those that wait. False where there is none for it.
  bool keep_busy(Tasks& waiting) {
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

  /// Gives its cell back where its board was at fault. The board that is so twice in a row, or cannot be opened, gets no
  /// other.
  void check_fault(Tasks& waiting) {
    if (!cell_ || slot().fault().empty()) return;
    const std::string fault = fmt::format("{}: {}", run_.work.devices->boards[number_].name, slot().fault());
    strikes_ += slot().strikes();
    if (strikes_ >= 2 && run_.lanes > run_.left.size() + 1) run_.left[number_] = fault;
    run_.faults[cell_->cell] = fault;
    cell_->lost_by = number_;
    waiting.push_front(*std::exchange(cell_, std::nullopt));
    fork_ = 0;
  }

 private:
  bool may_do(const CellTask& task) const {
    if (run_.left.contains(number_)) return false;
    if (task.lost_by) return task.lost_by != number_;
    return !task.board || task.board == number_ || run_.left.contains(*task.board);
  }

  bool could_others() const {
    return run_.has_boards() && !cell_->lost_by && run_.lanes > run_.left.size() + 1;
  }

  void end_cell() {
    records_.hand_on(cell_->cell);
    cell_.reset();
    fork_ = 0;
    strikes_ = 0;
  }

  Run& run_;
  const std::size_t number_;
  CellRecords records_;
  std::vector<std::unique_ptr<WorkerSlot>> slots_;  // by fork
  std::optional<CellTask> cell_;
  std::size_t fork_ = 0;  // that does the cell
  int strikes_ = 0;       // cells in a row that its board failed at
};

using Lanes = std::vector<std::unique_ptr<Lane>>;

/// Ctrl-Z reaches the parent alone, as each worker leads a group of its own: they stop and continue with it.
void stop_together(const Lanes& lanes) {
  stop_asked = 0;
  for (const auto& lane : lanes) lane->signal(SIGSTOP);
  ::raise(SIGSTOP);
  for (const auto& lane : lanes) lane->signal(SIGCONT);
}

/// Until no task waits that a lane may do. False where a signal ended it.
bool work_off(Run& run, const Lanes& lanes, Tasks& waiting) {
  Clock::time_point last_turn = Clock::now();
  while (!interrupted) {
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
void fail_rest(const Run& run, const Tasks& rest) {
  for (const CellTask& task : rest)
    for (const CaseInMode& missing : task.missing)
      run.on_record(task.cell, failed_record(run.work, task.cell, missing, Outcome::failed,
                                             run.faults.at(task.cell) + "; no other GPU is left"));
}

/// With all cores. The GPU that it opens and leaves idle is one that still can be opened.
WorkerPlace place_of_host(const Run& run) {
  const std::vector<Board>& boards = run.work.devices->boards;
  for (std::size_t i = 0; i < boards.size(); ++i)
    if (!run.left.contains(i) && !boards[i].uuid.empty()) return {{visible(boards[i])}, {}};
  return {};
}

/// With all GPUs, and all cores.
WorkerPlace place_of_gpus(const std::vector<Board>& boards) {
  if (boards[0].uuid.empty()) return {};
  std::string all = visible(boards[0]);
  for (std::size_t i = 1; i < boards.size(); ++i) all += "," + boards[i].uuid;
  return {{all}, {}};
}

constexpr int event_descriptor = 3;

CellTask deserialize_task(const Json& json) {
  CellTask task{.cell = json["cell"], .missing = {}, .fork = json["fork"]};
  for (const Json& pair : json["missing"]) task.missing.push_back({pair[0], mode_named(pair[1])});
  return task;
}

/// Writes a message to the parent. The parent's end closes when it dies, which ends this process, too. A copy
/// of this process, which a kernel made by fork(), ends here: its messages would be taken for this one's.
void send(const Json& message) {
  static const pid_t own = ::getpid();
  if (::getpid() != own) std::_Exit(exit_failed);
  if (!write_all(event_descriptor, line_of(message) + '\n')) std::_Exit(exit_failed);
}

/// This process is killed when its parent ends, whatever it executes then.
void end_with_parent() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A parent that ended before that gives no signal, but has closed its end of standard input.
  pollfd input{STDIN_FILENO, 0, 0};
  if (::poll(&input, 1, 0) > 0 && (input.revents & POLLHUP)) std::_Exit(exit_failed);
}

/// `verify` needs no more of a record. To send whole ones would take longer than its small cases.
Record outcome_only(const Record& record) {
  Record brief;
  for (const char* field : {"key", "variant", "mode", "outcome", "reason"}) brief[field] = record[field];
  return brief;
}

/// The devices of one schedule of the modelled device (SimtOptions::seed), and their meters.
struct DevicesOfSchedule {
  explicit DevicesOfSchedule(std::unique_ptr<OpenDevices> open)
      : devices(std::move(open)), meters(devices->devices()) {}
  std::unique_ptr<OpenDevices> devices;
  Meters meters;
};

void serve_cell(Work& work, Meters& meters, const CellTask& task) {
  const Cell& cell = work.plan.cells.at(task.cell);
  CellOptions options = work.options;
  options.other_values = task.fork == 0;
  options.wanted = [&](const Case& case_, Mode mode) {
    return std::ranges::count(task.missing, CaseInMode{case_.number, mode}) > 0;
  };
  CellEvents events;
  events.running = [&](const Case& case_) { send({{"running", case_.number}}); };
  events.alive = [] { send({{"alive", true}}); };
  events.measured = [&](const Case& case_, Mode mode, Record record) {
    work.inputs.check(cell.input.axes);  // a file may have changed as it was read
    // Here, as what is no number would arrive as null.
    record = work.kind == Job::Kind::verify ? outcome_only(record) : readable(std::move(record));
    send({{"number", case_.number}, {"mode", mode_names[std::size_t(mode)]}, {"record", std::move(record)}});
  };
  try {
    work.inputs.check(cell.input.axes);
    run_cell(cell, meters, options, events);
    send({{"done", task.cell}});
  } catch (const UsageError& error) {  // an input file
    send({{"refused", error.what()}});
  }
}

}  // namespace

Mode mode_named(const std::string& name) {
  return Mode(std::ranges::find(mode_names, name) - mode_names.begin());
}

Json to_json(const CellTask& task) {
  Json missing = Json::array();
  for (const auto& [number, mode] : task.missing) missing.push_back({number, mode_names[std::size_t(mode)]});
  return {{"cell", task.cell}, {"missing", missing}, {"fork", task.fork}};
}

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
    if (work.kind == Job::Kind::run) of_host = take_those_of_host(work, waiting);
    std::ranges::stable_sort(waiting, std::greater(), &CellTask::planned_s);
    if (work.has_fixed_boards) assign_boards(work, waiting);
  }
  const std::vector<WorkerPlace> places = places_of(boards, processes);
  Run run{work, on_record, forks, Progress(shown, work.plan, all_s, cases.size(), int(places.size())),
          places.size()};
  Lanes lanes;
  for (const WorkerPlace& place : places) lanes.push_back(std::make_unique<Lane>(run, lanes.size(), place));
  bool complete = work_off(run, lanes, waiting);
  if (complete) fail_rest(run, waiting);
  const std::map<std::size_t, std::string> left = run.left;
  const WorkerPlace of_cpu = place_of_host(run);
  const auto work_alone = [&](const WorkerPlace& place, Tasks& alone) {
    if (!complete || alone.empty()) return;
    lanes.clear();
    lanes.push_back(std::make_unique<Lane>(run, 0, place));
    run.lanes = 1;
    run.left.clear();  // no board's fault is the CPU's, or of all boards
    complete = work_off(run, lanes, alone);
  };
  if (!of_gpus.empty()) work_alone(place_of_gpus(boards), of_gpus);
  work_alone(of_cpu, of_host);
  for (const auto& [cell, fault] : run.faults) fmt::print(stderr, "redbench: {}\n", printable(fault));
  for (const auto& [board, fault] : left)
    fmt::print(stderr, "redbench: {} got no more cells\n", boards[board].name);
  return complete;
}

int serve_worker() {
  end_with_parent();
  std::string line;
  if (!std::getline(std::cin, line)) return exit_failed;
  Work work = deserialize_work(Json::parse(line));
  const std::string device = work.devices->kernels->name();
  send({{"up", true}});
  std::map<std::uint64_t, std::unique_ptr<DevicesOfSchedule>> by_seed;
  // The work has no devices from here on, so Work::device_of must not be called.
  by_seed[0] = std::make_unique<DevicesOfSchedule>(std::move(work.devices));
  send({{"ready", true}});
  while (std::getline(std::cin, line)) {
    const CellTask task = deserialize_task(Json::parse(line));
    const std::uint64_t seed = work.schedule_seeds.at(task.cell);
    std::unique_ptr<DevicesOfSchedule>& schedule = by_seed[seed];
    if (!schedule)
      schedule = std::make_unique<DevicesOfSchedule>(
          std::make_unique<OpenDevices>(device, SimtOptions{seed, work.races}));
    serve_cell(work, schedule->meters, task);
  }
  return exit_fine;
}

}  // namespace redbench
