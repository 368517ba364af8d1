#include "src/run/worker.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <chrono>
#include <deque>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "src/cell/forks.hpp"
#include "src/error.hpp"
#include "src/json/node.hpp"
#include "src/json/parse.hpp"
#include "src/plan/cost.hpp"
#include "src/records/check.hpp"
#include "src/records/output_file.hpp"
#include "src/records/record.hpp"
#include "src/run/progress.hpp"
#include "src/run/worker_process.hpp"

namespace redbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int event_descriptor = 3;

Mode mode_named(const std::string& name) {
  return Mode(std::ranges::find(mode_names, name) - mode_names.begin());
}

Json to_json(const CellTask& task) {
  Json missing = Json::array();
  for (const auto& [number, mode] : task.missing) missing.push_back({number, mode_names[std::size_t(mode)]});
  return {{"cell", task.cell}, {"missing", missing}, {"fork", task.fork}};
}

CellTask deserialize_task(const Json& json) {
  CellTask task{.cell = json["cell"], .missing = {}, .fork = json["fork"]};
  for (const Json& pair : json["missing"]) task.missing.push_back({pair[0], mode_named(pair[1])});
  return task;
}

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

using CaseOfCell = std::pair<std::size_t, std::size_t>;  // the cell, and the case's number in it

/// Collects the forks' records of each case, and hands them on as one when all are there.
class ForkedRecords {
 public:
  /// `records_of_cases`: how many records, of all modes, each case of the run's tasks is to have.
  ForkedRecords(std::size_t forks, double max_noise, std::map<CaseOfCell, std::size_t> records_of_cases,
                Progress& progress, const RecordSink& on_record)
      : forks_(forks),
        max_noise_(max_noise),
        missing_(std::move(records_of_cases)),
        progress_(progress),
        on_record_(on_record) {}

  void add(const CellTask& task, const CaseInMode& made, Record record) {
    auto& [records, passes] = pending_[{task.cell, made}];
    records.push_back(std::move(record));
    passes.push_back(task.attempt);
    if (records.size() < forks_) return;
    Record whole = forks_ == 1 ? std::move(records[0]) : record_of_forks(records, max_noise_);
    if (const auto time = whole.find("time_ns"); time != whole.end() && time->is_number())
      whole["passes"] = std::move(passes);
    on_record_(task.cell, std::move(whole));
    pending_.erase({task.cell, made});
    if (--missing_[{task.cell, made.number}] == 0) progress_.count_case();
  }

 private:
  struct Pending {
    std::vector<Record> records;
    Json passes = Json::array();
  };

  std::size_t forks_;
  double max_noise_;
  std::map<CaseOfCell, std::size_t> missing_;  // records that each case still lacks
  Progress& progress_;
  const RecordSink& on_record_;
  std::map<std::pair<std::size_t, CaseInMode>, Pending> pending_;
};

/// Runs tasks in one worker process at a time: a new one where the last died.
class WorkerSlot {
 public:
  /// `planned_s`: the seconds that each cell is planned to take.
  /// `hangs`: how often each variant hung, in any slot.
  WorkerSlot(const Work& work, std::deque<CellTask>& tasks, const std::vector<double>& planned_s,
             std::map<const Variant*, int>& hangs, ForkedRecords& records, Progress& progress,
             const std::vector<std::string>& variables)
      : work_(work),
        tasks_(tasks),
        planned_s_(planned_s),
        hangs_(hangs),
        records_(records),
        progress_(progress),
        variables_(variables) {}

  bool is_busy() const { return task_.has_value(); }

  /// Gives the process something to do. False where no task remains.
  bool keep_busy() {
    while (!task_) {
      if (tasks_.empty()) {
        process_.reset();
        return false;
      }
      task_ = std::move(tasks_.front());
      tasks_.pop_front();
      retried_ = false;
      begin();
    }
    return true;
  }

  /// Only while it is busy.
  WorkerProcess& process() { return *process_; }

  void receive() {
    std::vector<Json> messages;
    const bool open = process_->receive(messages);
    if (!messages.empty()) {
      last_sign_ = Clock::now();
      has_started_ = true;
    }
    for (const Json& message : messages) {
      if (!task_) return;
      if (const std::string why = why_no_message(message); !why.empty()) return ended(why);
      handle(message);
    }
    if (!open && task_) ended("its process was " + process_->ending());
  }

  /// The time in which neither this process nor the worker ran counts as no silence.
  void forgive(Clock::duration stopped) {
    last_sign_ += stopped;
    begun_ += stopped;
  }

  void signal(int number) const {
    if (process_) process_->signal(number);
  }

  double silent_s() const { return seconds_since(last_sign_); }
  /// Of its silence.
  double limit_s() const { return executes_ ? work_.config.measure.hang_s : work_.idle_s; }

  void check_hang() {
    if (!task_ || silent_s() < limit_s()) return;
    const std::string how = fmt::format("no sign of life for {:g} s; its process was killed", silent_s());
    process_->stop();
    if (is_running_missing()) fail_running(Outcome::timeout, how);
    else if (has_started_) fail_all(Outcome::timeout, "while the inputs were made, " + how);
    else fail_all(Outcome::timeout, "as its process started, " + how);
    resume();
  }

 private:
  /// Sends the task to the process, a new one where there is none. It ends at once where nothing of it is to
  /// be tried.
  void begin() {
    running_.reset();
    executes_ = false;
    begun_ = last_sign_ = Clock::now();
    leave_out_hung();
    if (task_->missing.empty()) return end_task();
    if (!process_) {
      process_ = std::make_unique<WorkerProcess>(variables_);
      has_started_ = false;
      process_->send(to_json(work_));
    }
    process_->send(to_json(*task_));
    progress_.making_inputs(task_->cell);
  }

  void handle(const Json& message) {
    if (message.contains("ready")) {
      begun_ = Clock::now();  // the time until now was the start of the process
    } else if (message.contains("running")) {
      const auto number = message["running"].get<std::size_t>();
      if (number != running_) progress_.running(task_->cell, number);
      running_ = number;
      executes_ = true;
    } else if (message.contains("alive")) {
      executes_ = false;
    } else if (message.contains("record")) {
      retried_ = false;
      finish({message["number"].get<std::size_t>(), mode_named(message["mode"])}, message["record"]);
    } else if (message.contains("refused")) {
      fail_all(Outcome::failed, message["refused"]);
      end_task();
    } else if (message.contains("done")) {
      end_task();
    }
  }

  void finish(const CaseInMode& made, Record record) {
    std::erase(task_->missing, made);
    records_.add(*task_, made, std::move(record));
  }

  void end_task() {
    progress_.ended(planned_s_[task_->cell], seconds_since(begun_));
    task_.reset();
  }

  /// Why the process cannot have meant this message, as a kernel may write to any descriptor; empty where it
  /// may have.
  std::string why_no_message(const Json& message) const {
    const std::vector<Case>& cases = work_.plan.cells[task_->cell].cases;
    const auto is_case = [&](const Json& number) {
      return number.is_number_unsigned() && number < cases.size();
    };
    const std::string strange = "its process sent what is no message of redbench: " + shortened(message);
    if (!message.is_object() || message.empty()) return strange;
    if (message.contains("running")) return is_case(message["running"]) ? "" : strange;
    if (message.contains("refused")) return message["refused"].is_string() ? "" : strange;
    for (const char* known : {"up", "ready", "alive", "done"})
      if (message.contains(known)) return "";
    if (!message.contains("record")) return strange;
    const Json number = part_of(message, "number"), mode = part_of(message, "mode"),
               &record = message["record"];
    if (!is_case(number) || !mode.is_string()) return strange;
    if (std::ranges::find(mode_names, mode.get<std::string>()) == mode_names.end()) return strange;
    const bool is_missing = std::ranges::count(task_->missing, CaseInMode{number, mode_named(mode)}) > 0;
    return is_missing && record.is_object() ? "" : strange;
  }

  /// The process ended, or is ended, as it went astray.
  void ended(const std::string& how) {
    process_->stop();
    if (is_running_missing()) fail_running(Outcome::failed, how);
    // Between two cases the inputs may be at fault, or what killed the process from outside. It is retried
    // once; the second death without a record fails the rest of the cell.
    else if (std::exchange(retried_, true)) fail_all(Outcome::failed, "while the inputs were made, " + how);
    resume();
  }

  void resume() {
    process_.reset();
    ++task_->attempt;
    begin();
  }

  /// A kernel that hung on two shapes would hang on most of a battery, for `hang_s` each.
  void leave_out_hung() {
    if (work_.kind != Job::Kind::verify) return;
    for (const CaseInMode& missing : std::vector(task_->missing))
      if (hangs_[variant_of(missing.number)] >= 2)
        fail(missing, Outcome::timeout, "not tried, as it hung on two shapes before");
  }

  const Variant* variant_of(std::size_t number) const {
    return work_.plan.cells[task_->cell].cases[number].variant;
  }

  /// Whether the case that runs still has to have a record: else it is not to blame for what comes after it.
  bool is_running_missing() const {
    return running_ && std::ranges::count(task_->missing, *running_, &CaseInMode::number) > 0;
  }

  /// The case that runs gets this outcome in every mode in which it still has no record.
  void fail_running(Outcome outcome, const std::string& reason) {
    if (outcome == Outcome::timeout) ++hangs_[variant_of(*running_)];
    for (const CaseInMode& missing : std::vector(task_->missing))
      if (missing.number == *running_) fail(missing, outcome, reason);
  }

  void fail_all(Outcome outcome, const std::string& reason) {
    for (const CaseInMode& missing : std::vector(task_->missing)) fail(missing, outcome, reason);
  }

  void fail(const CaseInMode& missing, Outcome outcome, const std::string& reason) {
    const Cell& cell = work_.plan.cells[task_->cell];
    const Case& case_ = cell.cases[missing.number];
    finish(missing, case_record(cell, case_, work_.device_of(case_), missing.mode, outcome, reason));
  }

  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  const Work& work_;
  std::deque<CellTask>& tasks_;
  const std::vector<double>& planned_s_;
  std::map<const Variant*, int>& hangs_;
  ForkedRecords& records_;
  Progress& progress_;
  const std::vector<std::string>& variables_;
  std::unique_ptr<WorkerProcess> process_;
  bool has_started_ = false;  // the process has sent a message
  std::optional<CellTask> task_;
  std::optional<std::size_t> running_;  // the case that was executed last
  bool executes_ = false;               // it still is, as far as is known
  bool retried_ = false;                // a process died between two cases, and since then no record came
  Clock::time_point begun_, last_sign_;
};

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

/// Gives slots their next tasks, and returns those that are busy. Slot i takes the tasks of fork i. At most
/// one fork is busy, so that none disturbs another's times: the one whose turn it is, else the next with
/// tasks left. With a single fork all slots are busy at once.
std::vector<WorkerSlot*> busy_slots(const std::vector<std::unique_ptr<WorkerSlot>>& slots, std::size_t forks,
                                    std::size_t turn) {
  std::vector<WorkerSlot*> busy;
  for (std::size_t i = 0; i < slots.size() && (forks == 1 || busy.empty()); ++i)
    if (WorkerSlot& slot = *slots[(turn + i) % slots.size()]; slot.keep_busy()) busy.push_back(&slot);
  return busy;
}

/// The fork whose turn it is: when it ends its task the next one gets its turn.
std::size_t next_fork(const std::vector<std::unique_ptr<WorkerSlot>>& slots, std::size_t forks,
                      std::size_t turn) {
  return slots[turn]->is_busy() ? turn : (turn + 1) % forks;
}

/// Ctrl-Z reaches the parent alone, as each worker leads a group of its own: they stop and continue with it.
void stop_together(const std::vector<std::unique_ptr<WorkerSlot>>& slots) {
  stop_asked = 0;
  for (const auto& slot : slots) slot->signal(SIGSTOP);
  ::raise(SIGSTOP);
  for (const auto& slot : slots) slot->signal(SIGCONT);
}

}  // namespace

bool run_tasks(const Work& work, std::vector<CellTask> tasks, int processes, bool shown,
               const RecordSink& on_record) {
  const SignalWatch watch;
  const std::size_t forks = work.kind == Job::Kind::run ? forks_of(work.plan, work.config.measure) : 1;
  const std::vector<double> planned_s =
      cell_seconds(work.plan, work.config.measure, work.devices->devices(), work.kind == Job::Kind::run);
  // Several processes at once are `verify`'s alone: they share one queue of tasks. Forks are for times, which
  // `verify` does not take: each has a queue of its own, and they take turns.
  assert(forks == 1 || processes == 1);
  std::vector<std::deque<CellTask>> waiting(forks);
  double all_s = 0;
  std::map<CaseOfCell, std::size_t> records_of_cases;
  for (CellTask& task : tasks) {
    for (const auto& [number, mode] : task.missing) ++records_of_cases[{task.cell, number}];
    all_s += double(forks) * planned_s[task.cell];
    for (task.fork = 0; task.fork < forks; ++task.fork) waiting[task.fork].push_back(task);
  }
  Progress progress(shown, work.plan, all_s, records_of_cases.size(), processes);
  ForkedRecords records(forks, work.config.measure.max_noise, std::move(records_of_cases), progress,
                        on_record);
  // Several processes at once share the cores: each has one thread.
  const std::vector<std::string> variables =
      processes > 1 ? std::vector<std::string>{"REDBENCH_SIMT_THREADS=1", "OMP_NUM_THREADS=1"}
                    : std::vector<std::string>{};
  std::map<const Variant*, int> hangs;
  std::vector<std::unique_ptr<WorkerSlot>> slots;
  for (std::size_t i = 0; i < std::max(forks, std::size_t(processes)); ++i)
    slots.push_back(std::make_unique<WorkerSlot>(work, waiting[i % forks], planned_s, hangs, records,
                                                 progress, variables));
  std::size_t turn = forks - 1;  // no slot is busy yet, so the first turn is fork 0's
  Clock::time_point last_turn = Clock::now();
  while (!interrupted) {
    if (stop_asked) stop_together(slots);
    turn = next_fork(slots, forks, turn);
    const std::vector<WorkerSlot*> busy = busy_slots(slots, forks, turn);
    if (busy.empty()) return true;
    std::vector<pollfd> descriptors;
    for (WorkerSlot* slot : busy) {
      descriptors.push_back({slot->process().messages(), POLLIN, 0});
      descriptors.push_back({slot->process().unsent(), POLLOUT, 0});
    }
    ::poll(descriptors.data(), descriptors.size(), 200);
    const WorkerSlot& silent = **std::ranges::max_element(busy, {}, &WorkerSlot::silent_s);
    progress.show(silent.silent_s(), silent.limit_s());
    // A turn of this loop takes 0.2 s. Where it took longer this process was stopped, and its workers with
    // it.
    const Clock::duration took = Clock::now() - std::exchange(last_turn, Clock::now());
    if (took > std::chrono::seconds(2))
      for (WorkerSlot* slot : busy) slot->forgive(took);
    for (std::size_t i = 0; i < busy.size(); ++i) {
      if (descriptors[2 * i + 1].revents) busy[i]->process().send_rest();
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
