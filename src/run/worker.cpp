#include "src/run/worker.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>

#include "src/device/processes.hpp"
#include "src/error.hpp"
#include "src/records/check.hpp"
#include "src/records/output_file.hpp"
#include "src/records/record.hpp"

namespace redbench {
namespace {

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

/// The next message of the parent; of its worker, where this is another process of the run. Empty: there is none.
std::string next_line(bool follows) {
  std::string line;
  if (!follows) std::getline(std::cin, line);
  return are_processes_joined() ? ProcessGroup().exchange(line)[0] : line;
}

/// An MPI that uses CUDA itself may have opened it before it was told which GPU is meant.
void check_is_opened([[maybe_unused]] const std::string& uuid) {
#ifdef REDBENCH_WITH_CUDA
  if (const std::string opened = uuid.empty() ? "" : cuda_board(0).uuid; opened != uuid)
    throw UsageError(
        fmt::format("process {} of the run has {} and not its own GPU {}: MPI has opened CUDA before",
                    ProcessGroup().number(), opened, uuid));
#endif
}

/// Opens the devices of the work. Of processes that share the run each sees its own GPU.
Work open_work_of(const Json& told, bool follows) {
  const std::vector<std::string> gpus = told.value("gpus_of_processes", std::vector<std::string>());
  if (follows)
    if (const std::string& own = gpus.at(std::size_t(ProcessGroup().number())); !own.empty())
      ::setenv("CUDA_VISIBLE_DEVICES", own.c_str(), 1);
  Work work = deserialize_work(told);
  if (!gpus.empty()) check_is_opened(gpus.at(std::size_t(ProcessGroup().number())));
  return work;
}

/// The devices of one schedule of the modelled device (SimtOptions::seed), and their meters.
struct DevicesOfSchedule {
  explicit DevicesOfSchedule(std::unique_ptr<OpenDevices> open)
      : devices(std::move(open)), meters(devices->devices()) {}
  std::unique_ptr<OpenDevices> devices;
  Meters meters;
};

CellEvents events_of(Work& work, const Cell& cell) {
  CellEvents events;
  events.running = [&](const Case& case_) { send({{"running", case_.number}}); };
  events.alive = [] { send({{"alive", true}}); };
  events.measured = [&](const Case& case_, Mode mode, Record record) {
    work.inputs.check(cell.input.axes);  // a file may have changed as it was read
    // Here, as what is no number would arrive as null.
    record = work.kind == Job::Kind::verify ? outcome_only(record) : readable(std::move(record));
    send({{"number", case_.number}, {"mode", mode_names[std::size_t(mode)]}, {"record", std::move(record)}});
  };
  return events;
}

const CellEvents no_events{[](const Case&) {}, [] {}, [](const Case&, Mode, const Record&) {}};

void serve_cell(Work& work, Meters& meters, const CellTask& task, bool follows) {
  const Cell& cell = work.plan.cells.at(task.cell);
  CellOptions options = work.options;
  options.other_values = task.fork == 0;
  options.wanted = [&](const Case& case_, Mode mode) {
    return std::ranges::count(task.missing, CaseInMode{case_.number, mode}) > 0;
  };
  try {
    if (follows) return run_cell(cell, meters, options, no_events);
    work.inputs.check(cell.input.axes);
    run_cell(cell, meters, options, events_of(work, cell));
    send({{"done", task.cell}});
  } catch (const UsageError& error) {   // an input file
    if (are_processes_joined()) throw;  // the others are within the cell
    send({{"refused", error.what()}});
  } catch (const DeviceError& error) {
    if (!are_processes_joined()) throw;               // another worker goes on
    if (!follows) send({{"refused", error.what()}});  // all have agreed on it
  }
}

void serve(const std::string& first_line, bool follows) {
  const auto tell = [&](const char* sign) {
    if (!follows) send({{sign, true}});
  };
  Work work = open_work_of(Json::parse(first_line), follows);
  const std::string device = work.devices->kernels->name();
  tell("up");
  std::map<std::uint64_t, std::unique_ptr<DevicesOfSchedule>> by_seed;
  // The work has no devices from here on, so Work::device_of must not be called.
  by_seed[0] = std::make_unique<DevicesOfSchedule>(std::move(work.devices));
  tell("ready");
  for (std::string line = next_line(follows); !line.empty(); line = next_line(follows)) {
    const CellTask task = deserialize_task(Json::parse(line));
    const std::uint64_t seed = work.schedule_seeds.at(task.cell);
    std::unique_ptr<DevicesOfSchedule>& schedule = by_seed[seed];
    if (!schedule)
      schedule = std::make_unique<DevicesOfSchedule>(
          std::make_unique<OpenDevices>(device, SimtOptions{seed, work.races}));
    serve_cell(work, schedule->meters, task, follows);
  }
}

/// Without destructors of static objects, as NCCL may still have threads.
[[noreturn]] void leave_and_end() {
  leave_processes();
  std::fflush(nullptr);
  std::_Exit(exit_fine);
}

/// Does what the first process's worker says.
[[noreturn]] void follow(const Launch& launch) {
  fmt::print(stderr, "redbench: process {} of {} that share a run, of which the first writes the records\n",
             launch.number, launch.count);
  join_processes(::getpid());
  if (const std::string line = next_line(true); !line.empty()) serve(line, true);
  leave_and_end();
}

/// Lets the others go, which no worker needed. Where they do not come it ends with the code.
void dismiss_others(int code) {
  constexpr unsigned patience_s = 60;
  static int code_of_run;
  code_of_run = code;
  std::fflush(nullptr);
  ::signal(SIGALRM, [](int) { std::_Exit(code_of_run); });
  ::alarm(patience_s);
  join_processes(::getpid());
  ProcessGroup().exchange("");
  leave_processes();
  ::alarm(0);
}

/// mpirun gives each process one core, unless it is told not to.
void warn_of_few_cores() {
  cpu_set_t own;
  const long all = ::sysconf(_SC_NPROCESSORS_ONLN);
  if (::sched_getaffinity(0, sizeof own, &own) == 0 && CPU_COUNT(&own) < all)
    fmt::print(
        stderr,
        "redbench: may use {} of {} cores: mpirun --bind-to none, srun --cpu-bind=none -c CORES give more\n",
        CPU_COUNT(&own), all);
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

int serve_worker() {
  end_with_parent();
  const std::string line = next_line(false);
  if (line.empty()) return exit_failed;
  if (Json::parse(line).contains("gpus_of_processes")) {
    join_processes(::getppid());
    ProcessGroup().exchange(line);
  }
  serve(line, false);
  if (are_processes_joined()) leave_and_end();
  return exit_fine;
}

int run_with_processes(Request& request, const std::function<int()>& command) {
  const Launch launch = request.shard.empty() ? launch_of(request.device) : Launch{};
  if (launch.number > 0) follow(launch);
  if (launch.count > 1) warn_of_few_cores();
  request.processes = launch.count;
  const auto let_others_go = [&](int code) {
    if (launch.count > 1 && claim_processes()) dismiss_others(code);
  };
  try {
    const int code = command();
    if (code != exit_interrupted) let_others_go(code);
    return code;
  } catch (...) {
    let_others_go(exit_usage);
    throw;
  }
}

}  // namespace redbench
