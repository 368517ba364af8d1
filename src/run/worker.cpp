#include "src/run/worker.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include "src/cell/forks.hpp"
#include "src/error.hpp"
#include "src/plan/cost.hpp"
#include "src/records/record.hpp"
#include "src/records/write_all.hpp"
#include "src/run/progress.hpp"
#include "src/run/worker_process.hpp"

namespace redbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int event_descriptor = 3;

Json to_json(const CellTask& task) {
  Json wanted = Json::array();
  for (const auto& [number, mode] : task.wanted) wanted.push_back({number, int(mode)});
  return {{"cell", task.cell}, {"wanted", wanted}, {"fork", task.fork}};
}

CellTask task_from(const Json& json) {
  CellTask task{.cell = json["cell"], .wanted = {}, .fork = json["fork"]};
  for (const Json& pair : json["wanted"]) task.wanted.emplace_back(pair[0], Mode(pair[1].get<int>()));
  return task;
}

volatile sig_atomic_t interrupted = 0;

/// Catches interrupt and terminate for as long as it lives.
class SignalWatch {
 public:
  SignalWatch() {
    interrupted = 0;
    struct sigaction action {};
    action.sa_handler = [](int) { interrupted = 1; };
    ::sigaction(SIGINT, &action, &interrupt_);
    ::sigaction(SIGTERM, &action, &terminate_);
  }
  ~SignalWatch() {
    ::sigaction(SIGINT, &interrupt_, nullptr);
    ::sigaction(SIGTERM, &terminate_, nullptr);
  }

 private:
  struct sigaction interrupt_, terminate_;
};

/// What a worker's records go to.
using TaskSink = std::function<void(const CellTask&, const Wanted&, Record)>;

/// A place for one worker process at a time, the next one when it dies, and the cell that is being worked on.
class WorkerSlot {
 public:
  WorkerSlot(const Work& work, std::deque<CellTask>& tasks, const TaskSink& finished, Progress& progress,
             std::vector<std::string> variables)
      : work_(work),
        tasks_(tasks),
        finished_(finished),
        progress_(progress),
        variables_(std::move(variables)) {}

  bool is_busy() const { return task_.has_value(); }

  /// Gives the process something to do. False where no task remains.
  bool keep_busy() {
    if (task_) return true;
    if (tasks_.empty()) {
      process_.reset();
      return false;
    }
    task_ = std::move(tasks_.front());
    tasks_.pop_front();
    died_in_vain_ = false;
    begin();
    return true;
  }

  int messages() const { return process_->messages(); }
  int unsent() const { return process_->unsent(); }
  void send_rest() { process_->send_rest(); }

  void receive() {
    std::vector<Json> messages;
    const bool open = process_->receive(messages);
    if (!messages.empty()) {
      last_sign_ = Clock::now();
      is_up_ = true;
    }
    for (const Json& message : messages) handle(message);
    if (!open && task_) died();
  }

  void check_hang() {
    if (!task_) return;
    const double silent_s = std::chrono::duration<double>(Clock::now() - last_sign_).count();
    if (silent_s < (executes_ ? work_.config.measure.hang_s : work_.idle_s)) return;
    process_->stop();
    const std::string how = fmt::format("no sign of life for {:g} s; its process was killed", silent_s);
    if (is_wanted(under_way_)) blame(Outcome::timeout, how);
    else
      fail_all(Outcome::timeout,
               (is_up_ ? "while the inputs were made, " : "as its process started, ") + how);
    resume();
  }

 private:
  /// Sends the task to the process, a fresh one where there is none.
  void begin() {
    under_way_.reset();
    executes_ = false;
    last_sign_ = Clock::now();
    if (!process_) {
      process_ = std::make_unique<WorkerProcess>(variables_);
      is_up_ = false;
      process_->send(to_json(work_));
    }
    process_->send(to_json(*task_));
    progress_.began(id());
  }

  /// Progress knows a task by its cell's place in the plan, those of later forks after all of an earlier one.
  std::size_t id() const { return task_->cell + task_->fork * work_.plan.cells.size(); }

  void handle(const Json& message) {
    if (message.contains("ready")) {
      progress_.began(id());  // till then the process has started
    } else if (message.contains("running")) {
      const auto number = message["running"].get<std::size_t>();
      if (number != under_way_) progress_.running(id(), number);
      under_way_ = number;
      executes_ = true;
    } else if (message.contains("idle")) {
      executes_ = false;
    } else if (message.contains("record")) {
      died_in_vain_ = false;
      finish({message["case"].get<std::size_t>(), Mode(message["mode"].get<int>())}, message["record"]);
    } else if (message.contains("refused")) {
      fail_all(Outcome::failed, message["refused"]);
      end_task();
    } else if (message.contains("done")) {
      end_task();
    }
  }

  void finish(const Wanted& one, Record record) {
    std::erase(task_->wanted, one);
    finished_(*task_, one, std::move(record));
    progress_.finished();
  }

  void end_task() {
    progress_.ended(id());
    task_.reset();
  }

  void died() {
    const std::string how = "its process was " + process_->ending();
    if (is_wanted(under_way_)) blame(Outcome::failed, how);
    // With no case under way the inputs may be at fault, or whoever killed it: the device may also have been
    // lost after a record that says so. Once that gives no record, it is tried again.
    else if (died_in_vain_) fail_all(Outcome::failed, "while the inputs were made, " + how);
    else died_in_vain_ = true;
    resume();
  }

  void resume() {
    process_.reset();
    if (task_->wanted.empty()) {
      end_task();
    } else {
      ++task_->pass;
      begin();
    }
  }

  bool is_wanted(const std::optional<std::size_t>& number) const {
    return number &&
           std::ranges::any_of(task_->wanted, [&](const Wanted& one) { return one.first == *number; });
  }

  /// The case under way gets its outcome in every mode that it still has to come to.
  void blame(Outcome outcome, const std::string& reason) {
    for (const Wanted& one : std::vector<Wanted>(task_->wanted))
      if (one.first == *under_way_) finish(one, record_of(one, outcome, reason));
  }

  void fail_all(Outcome outcome, const std::string& reason) {
    for (const Wanted& one : std::vector<Wanted>(task_->wanted)) finish(one, record_of(one, outcome, reason));
  }

  Record record_of(const Wanted& one, Outcome outcome, const std::string& reason) const {
    const Cell& cell = work_.plan.cells[task_->cell];
    const Case& of = cell.cases[one.first];
    return case_record(cell, of, work_.devices->devices().of(*of.variant), one.second, outcome, reason);
  }

  const Work& work_;
  std::deque<CellTask>& tasks_;
  const TaskSink& finished_;
  Progress& progress_;
  std::vector<std::string> variables_;
  std::unique_ptr<WorkerProcess> process_;
  bool is_up_ = false;  // the process has given a sign
  std::optional<CellTask> task_;
  std::optional<std::size_t> under_way_;  // the case that was executed last
  bool executes_ = false;                 // it is still executed, as far as is known
  bool died_in_vain_ = false;             // the last process gave this task no record, and nobody to blame
  Clock::time_point last_sign_;
};

/// Writes a message to the parent. The parent's end closes when it dies, which ends this process, too.
void tell(const Json& message) {
  if (!write_all(event_descriptor, line_of(message) + '\n')) std::_Exit(exit_failed);
}

/// This process is killed when its parent ends, whatever it executes then.
void end_with_parent() {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  // A parent that ended before that gives no signal, but has closed its end of standard input.
  pollfd input{STDIN_FILENO, 0, 0};
  if (::poll(&input, 1, 0) > 0 && (input.revents & POLLHUP)) std::_Exit(exit_failed);
}

/// What `verify` counts. It goes through so many cases that whole records would take longer than the cases.
Record outcome_only(const Record& record) {
  Record brief;
  for (const char* field : {"key", "variant", "mode", "outcome", "reason"}) brief[field] = record[field];
  return brief;
}

/// Devices of one schedule, with what they are measured with.
struct Served {
  explicit Served(std::unique_ptr<OpenDevices> open) : devices(std::move(open)), meters(devices->devices()) {}
  std::unique_ptr<OpenDevices> devices;
  Meters meters;
};

void serve_cell(Work& work, Meters& meters, const CellTask& task) {
  const Cell& cell = work.plan.cells.at(task.cell);
  const auto number_of = [&](const Case& one) { return std::size_t(&one - cell.cases.data()); };
  CellOptions options = work.options;
  options.other_values = task.fork == 0;
  options.wanted = [&](const Case& one, Mode mode) {
    return std::find(task.wanted.begin(), task.wanted.end(), Wanted(number_of(one), mode)) !=
           task.wanted.end();
  };
  std::map<std::string, std::size_t> by_key;
  for (std::size_t i = 0; i < cell.cases.size(); ++i) by_key[cell.cases[i].key()] = i;
  CellEvents events;
  events.running = [&](const Case& one) { tell({{"running", number_of(one)}}); };
  events.idle = [] { tell({{"idle", true}}); };
  events.finished = [&](Record record) {
    work.inputs.check(cell.input.axes);  // it may have changed as it was read
    const auto mode =
        Mode(std::ranges::find(mode_names, record["mode"].get<std::string>()) - mode_names.begin());
    if (work.kind == Job::Kind::verify) record = outcome_only(record);
    tell({{"case", by_key.at(record["key"])}, {"mode", int(mode)}, {"record", std::move(record)}});
  };
  try {
    work.inputs.check(cell.input.axes);
    run_cell(cell, meters, options, events);
    tell({{"done", task.cell}});
  } catch (const UsageError& error) {  // an input file
    tell({{"refused", error.what()}});
  }
}

Progress progress_of(const Work& work, const std::vector<CellTask>& tasks, int processes, bool shown) {
  const std::vector<double> seconds =
      cell_seconds(work.plan, work.config.measure, work.devices->devices(), work.kind == Job::Kind::run);
  std::map<std::size_t, double> cells;
  std::size_t records = 0;
  for (const CellTask& task : tasks) {
    cells[task.cell + task.fork * seconds.size()] = seconds[task.cell];
    records += task.wanted.size();
  }
  return {shown, work.plan, std::move(cells), records, processes};
}

/// What the forks tell of each case, until all have.
class ForkedRecords {
 public:
  ForkedRecords(std::size_t forks, double max_noise, const RecordSink& finished)
      : forks_(forks), max_noise_(max_noise), finished_(finished) {}

  void add(const CellTask& task, const Wanted& one, Record record) {
    Told& told = told_[{task.cell, one}];
    told.records.push_back(std::move(record));
    told.passes.push_back(task.pass);
    if (told.records.size() < forks_) return;
    Record whole = forks_ == 1 ? std::move(told.records[0]) : record_of_forks(told.records, max_noise_);
    if (const auto time = whole.find("time_ns"); time != whole.end() && time->is_number())
      whole["passes"] = std::move(told.passes);
    finished_(task.cell, one.first, std::move(whole));
    told_.erase({task.cell, one});
  }

 private:
  struct Told {
    std::vector<Record> records;
    Json passes = Json::array();
  };

  std::size_t forks_;
  double max_noise_;
  const RecordSink& finished_;
  std::map<std::pair<std::size_t, Wanted>, Told> told_;
};

}  // namespace

bool run_tasks(const Work& work, std::vector<CellTask> tasks, int processes, bool shown,
               const RecordSink& finished) {
  const SignalWatch watch;
  const std::size_t forks = work.kind == Job::Kind::run ? forks_of(work.plan, work.config.measure) : 1;
  std::vector<CellTask> all;
  for (CellTask& task : tasks)
    for (task.fork = 0; task.fork < forks; ++task.fork) all.push_back(task);
  Progress progress = progress_of(work, all, processes, shown);
  ForkedRecords records(forks, work.config.measure.max_noise, finished);
  const TaskSink sink = [&](const CellTask& task, const Wanted& one, Record record) {
    records.add(task, one, std::move(record));
  };
  // Several processes share the cores: each models its device with one OS thread.
  const std::vector<std::string> variables =
      processes > 1 ? std::vector<std::string>{"REDBENCH_SIMT_THREADS=1", "OMP_NUM_THREADS=1"}
                    : std::vector<std::string>{};
  // Processes at once take from one queue; forks have one each, and take turns.
  std::vector<std::deque<CellTask>> waiting(forks);
  for (CellTask& task : all) waiting[task.fork].push_back(std::move(task));
  std::vector<std::unique_ptr<WorkerSlot>> slots;
  for (std::size_t i = 0; i < std::max(forks, std::size_t(processes)); ++i)
    slots.push_back(std::make_unique<WorkerSlot>(work, waiting[i % forks], sink, progress, variables));
  std::size_t turn = forks - 1;
  while (!interrupted) {
    std::vector<WorkerSlot*> busy;
    if (!slots[turn]->is_busy()) turn = (turn + 1) % forks;
    for (std::size_t i = 0; i < slots.size() && (forks == 1 || busy.empty()); ++i)
      if (WorkerSlot& slot = *slots[(turn + i) % slots.size()]; slot.keep_busy()) busy.push_back(&slot);
    if (busy.empty()) return true;
    std::vector<pollfd> descriptors;
    for (const WorkerSlot* slot : busy) {
      descriptors.push_back({slot->messages(), POLLIN, 0});
      descriptors.push_back({slot->unsent(), POLLOUT, 0});
    }
    ::poll(descriptors.data(), descriptors.size(), 200);
    progress.waiting();
    for (std::size_t i = 0; i < busy.size(); ++i) {
      if (descriptors[2 * i + 1].revents) busy[i]->send_rest();
      if (descriptors[2 * i].revents) busy[i]->receive();
      busy[i]->check_hang();
    }
  }
  return false;
}

int serve_worker() {
  end_with_parent();
  std::string line;
  if (!std::getline(std::cin, line)) return exit_failed;
  Work work = work_from(Json::parse(line));
  const std::string device = work.devices->kernels->name();
  tell({{"up", true}});
  std::map<std::uint64_t, std::unique_ptr<Served>> by_seed;
  by_seed[0] = std::make_unique<Served>(std::move(work.devices));
  tell({{"ready", true}});
  while (std::getline(std::cin, line)) {
    const CellTask task = task_from(Json::parse(line));
    const std::uint64_t seed = work.schedule_seeds.at(task.cell);
    std::unique_ptr<Served>& served = by_seed[seed];
    if (!served)
      served = std::make_unique<Served>(std::make_unique<OpenDevices>(device, SimtOptions{seed, work.races}));
    serve_cell(work, served->meters, task);
  }
  return exit_fine;
}

}  // namespace redbench
