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
#include <optional>

#include "src/error.hpp"
#include "src/records/columns.hpp"
#include "src/records/record.hpp"
#include "src/run/progress.hpp"
#include "src/run/worker_process.hpp"

namespace redbench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int event_descriptor = 3;

Json to_json(const Job& job) {
  return {{"verify", job.kind == Job::Kind::verify},
          {"config", job.request.config},
          {"device", job.request.device},
          {"axes", job.request.overrides.axes},
          {"sets", job.request.overrides.sets},
          {"variants", job.request.overrides.variants},
          {"schedules", job.schedules},
          {"races", job.races},
          {"battery", to_json(job.battery)}};
}

Job job_from(const Json& json) {
  Job job;
  job.kind = json["verify"].get<bool>() ? Job::Kind::verify : Job::Kind::run;
  job.request.config = json["config"];
  job.request.device = json["device"];
  job.request.overrides.axes = json["axes"].get<std::vector<std::string>>();
  job.request.overrides.sets = json["sets"].get<std::vector<std::string>>();
  job.request.overrides.variants = json["variants"];
  job.schedules = json["schedules"];
  job.races = json["races"];
  job.battery = battery_from(json["battery"]);
  return job;
}

Json to_json(const CellTask& task) {
  Json wanted = Json::array();
  for (const auto& [number, mode] : task.wanted) wanted.push_back({number, int(mode)});
  return {{"cell", task.cell}, {"wanted", wanted}};
}

CellTask task_from(const Json& json) {
  CellTask task{json["cell"], {}};
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

/// A place for one worker process at a time, the next one when it dies, and the cell that is being worked on.
class WorkerSlot {
 public:
  WorkerSlot(const Job& job, const Work& work, std::deque<CellTask>& tasks, const RecordSink& finished,
             Progress& progress, std::vector<std::string> variables)
      : job_(job),
        work_(work),
        tasks_(tasks),
        finished_(finished),
        progress_(progress),
        variables_(std::move(variables)) {}

  /// Gives the process something to do. False where no task remains.
  bool keep_busy() {
    if (task_) return true;
    if (tasks_.empty()) {
      process_.reset();
      return false;
    }
    task_ = std::move(tasks_.front());
    tasks_.pop_front();
    begin();
    return true;
  }

  int messages() const { return process_->messages(); }

  void receive() {
    std::vector<Json> messages;
    const bool open = process_->receive(messages);
    if (!messages.empty()) last_sign_ = Clock::now();
    for (const Json& message : messages) handle(message);
    if (!open && task_) died();
  }

  void check_hang() {
    if (!task_ || !running_) return;
    const double silent_s = std::chrono::duration<double>(Clock::now() - last_sign_).count();
    if (silent_s < work_.config.measure.hang_s) return;
    process_->stop();
    blame(Outcome::timeout, fmt::format("no sign of life for {:g} s; its process was killed", silent_s));
    resume();
  }

 private:
  /// Sends the task to the process, a fresh one where there is none.
  void begin() {
    running_.reset();
    last_run_.reset();
    got_on_ = false;
    last_sign_ = Clock::now();
    if (!process_) {
      process_ = std::make_unique<WorkerProcess>(variables_);
      process_->send(to_json(job_));
    }
    process_->send(to_json(*task_));
    progress_.began(task_->cell);
  }

  void handle(const Json& message) {
    if (message.contains("ready")) {
      progress_.began(task_->cell);  // till then the process has started
    } else if (message.contains("running")) {
      const auto number = message["running"].get<std::size_t>();
      if (number != last_run_) progress_.running(task_->cell, number);
      running_ = last_run_ = number;
    } else if (message.contains("idle")) {
      running_.reset();
    } else if (message.contains("record")) {
      got_on_ = true;
      finish({message["case"].get<std::size_t>(), Mode(message["mode"].get<int>())}, message["record"]);
    } else if (message.contains("done")) {
      end_task();
    }
  }

  void finish(const Wanted& one, Record record) {
    std::erase(task_->wanted, one);
    finished_(task_->cell, one.first, std::move(record));
    progress_.finished();
  }

  void end_task() {
    progress_.ended(task_->cell);
    task_.reset();
  }

  void died() {
    const std::string how = "its process was " + process_->ending();
    // With no case in flight the device may have been lost after a record that says so: the rest is tried
    // again, unless nothing came of the last try.
    if (running_) blame(Outcome::failed, how);
    else if (!got_on_) fail_all(how);
    resume();
  }

  void resume() {
    process_.reset();
    if (task_->wanted.empty()) end_task();
    else begin();
  }

  /// The case in flight gets its outcome in every mode that it still has to come to.
  void blame(Outcome outcome, const std::string& reason) {
    const std::size_t guilty = *running_;
    for (const Wanted& one : std::vector<Wanted>(task_->wanted))
      if (one.first == guilty) finish(one, record_of(one, outcome, reason));
  }

  void fail_all(const std::string& how) {
    for (const Wanted& one : std::vector<Wanted>(task_->wanted))
      finish(one, record_of(one, Outcome::failed, "while the inputs were made, " + how));
  }

  Record record_of(const Wanted& one, Outcome outcome, const std::string& reason) const {
    const Cell& cell = work_.plan.cells[task_->cell];
    const Case& of = cell.cases[one.first];
    return case_record(cell, of, work_.devices->devices().of(*of.variant), one.second, outcome, reason);
  }

  const Job& job_;
  const Work& work_;
  std::deque<CellTask>& tasks_;
  const RecordSink& finished_;
  Progress& progress_;
  std::vector<std::string> variables_;
  std::unique_ptr<WorkerProcess> process_;
  std::optional<CellTask> task_;
  std::optional<std::size_t> running_, last_run_;  // a case: in flight; the last that was
  bool got_on_ = false;                            // a record came from this process
  Clock::time_point last_sign_;
};

/// Writes a message to the parent. The parent's end closes when it dies, which ends this process, too.
void tell(const Json& message) {
  const std::string line = line_of(message) + '\n';
  for (std::size_t at = 0; at < line.size();) {
    const ssize_t written = ::write(event_descriptor, line.data() + at, line.size() - at);
    if (written < 0 && errno != EINTR) std::_Exit(exit_failed);
    if (written > 0) at += std::size_t(written);
  }
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
    const Mode mode = record["mode"] == mode_names[0] ? Mode::cold : Mode::warm;
    if (!options.timing) record = outcome_only(record);
    tell({{"case", by_key.at(record["key"])}, {"mode", int(mode)}, {"record", std::move(record)}});
  };
  run_cell(cell, meters, options, events);
  tell({{"done", task.cell}});
}

Progress progress_of(const Work& work, const std::vector<CellTask>& tasks, int processes, bool shown) {
  const std::vector<CellCost> all = costs_of(
      work.plan, cost_facts(work.plan, work.options.measure, work.options.timing, work.devices->devices()));
  std::map<std::size_t, CellCost> cells;
  std::size_t records = 0;
  for (const CellTask& task : tasks) {
    cells[task.cell] = all[task.cell];
    records += task.wanted.size();
  }
  return {shown, work.plan, std::move(cells), records, processes};
}

}  // namespace

Work make_work(Job& job) {
  Work work;
  work.devices = std::make_unique<OpenDevices>(job.request.device, SimtOptions{.races = job.races});
  if (job.kind == Job::Kind::verify) {
    if (job.races && work.devices->kernels->target() != Target::simt)
      throw UsageError("--races checks accesses on the modelled device: --device simt; this is " +
                       work.devices->kernels->name());
    if (job.battery.experiments.empty())
      job.battery = make_battery(job.request.overrides.variants, job.races, work.devices->devices());
    plan_battery(job.battery, job.schedules, work);
  } else {
    work.config = load_config(job.request.config, work.devices->kernels->target(), job.request.overrides,
                              record_columns());
    work.plan = make_plan(work.config, work.devices->devices());
    work.schedule_seeds.assign(work.plan.cells.size(), 0);
  }
  work.options.measure = work.config.measure;
  work.options.timing = job.kind == Job::Kind::run;
  return work;
}

bool run_tasks(const Job& job, const Work& work, std::vector<CellTask> tasks, int processes, bool shown,
               const RecordSink& finished) {
  const SignalWatch watch;
  Progress progress = progress_of(work, tasks, processes, shown);
  std::deque<CellTask> waiting(std::make_move_iterator(tasks.begin()), std::make_move_iterator(tasks.end()));
  // Several processes share the cores: each models its device with one OS thread.
  const std::vector<std::string> variables =
      processes > 1 ? std::vector<std::string>{"REDBENCH_SIMT_THREADS=1", "OMP_NUM_THREADS=1"}
                    : std::vector<std::string>{};
  std::vector<std::unique_ptr<WorkerSlot>> slots;
  for (int i = 0; i < processes; ++i)
    slots.push_back(std::make_unique<WorkerSlot>(job, work, waiting, finished, progress, variables));
  while (!interrupted) {
    std::erase_if(slots, [](const auto& slot) { return !slot->keep_busy(); });
    if (slots.empty()) return true;
    std::vector<pollfd> descriptors;
    for (const auto& slot : slots) descriptors.push_back({slot->messages(), POLLIN, 0});
    ::poll(descriptors.data(), descriptors.size(), 200);
    progress.waiting();
    for (std::size_t i = 0; i < slots.size(); ++i) {
      if (descriptors[i].revents) slots[i]->receive();
      slots[i]->check_hang();
    }
  }
  return false;
}

int serve_worker() {
  end_with_parent();
  std::string line;
  if (!std::getline(std::cin, line)) return exit_failed;
  Job job = job_from(Json::parse(line));
  Work work = make_work(job);
  const std::string device = work.devices->kernels->name();
  std::map<std::uint64_t, std::unique_ptr<Served>> by_seed;
  by_seed[0] = std::make_unique<Served>(std::move(work.devices));
  tell({{"ready", true}});
  while (std::getline(std::cin, line)) {
    const CellTask task = task_from(Json::parse(line));
    const std::uint64_t seed = work.schedule_seeds.at(task.cell);
    std::unique_ptr<Served>& served = by_seed[seed];
    if (!served)
      served = std::make_unique<Served>(std::make_unique<OpenDevices>(device, SimtOptions{seed, job.races}));
    serve_cell(work, served->meters, task);
  }
  return exit_fine;
}

}  // namespace redbench
