#include "src/run/worker.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
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

/// Opens the devices of the work. Of processes that share the run each sees its own GPU.
Work open_work_of(const Json& told, bool follows) {
  const std::vector<std::string> gpus = told.value("gpus_of_processes", std::vector<std::string>());
  if (follows)
    if (const std::string& own = gpus.at(std::size_t(ProcessGroup().number())); !own.empty())
      ::setenv("CUDA_VISIBLE_DEVICES", own.c_str(), 1);
  return deserialize_work(told);
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
  if (follows) return run_cell(cell, meters, options, no_events);
  try {
    work.inputs.check(cell.input.axes);
    run_cell(cell, meters, options, events_of(work, cell));
    send({{"done", task.cell}});
  } catch (const UsageError& error) {   // an input file
    if (are_processes_joined()) throw;  // the others are within the cell
    send({{"refused", error.what()}});
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

/// Does what the first process's worker says.
int follow() {
  join_processes();
  if (const std::string line = next_line(true); !line.empty()) serve(line, true);
  leave_processes();
  return exit_fine;
}

/// Lets the others go, which no worker needed.
void dismiss_others() {
  constexpr unsigned patience_s = 60;
  ::alarm(patience_s);
  join_processes();
  ProcessGroup().exchange("");
  leave_processes();
  ::alarm(0);
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
    join_processes();
    ProcessGroup().exchange(line);
  }
  serve(line, false);
  if (are_processes_joined()) leave_processes();
  return exit_fine;
}

int run_with_processes(Request& request, const std::function<int()>& command) {
  const Launch launch = request.shard.empty() ? launch_of(request.device) : Launch{};
  if (launch.number > 0) return follow();
  request.processes = launch.count;
  const auto let_others_go = [&] {
    if (launch.count > 1 && claim_processes()) dismiss_others();
  };
  try {
    const int code = command();
    if (code != exit_interrupted) let_others_go();
    return code;
  } catch (...) {
    let_others_go();
    throw;
  }
}

}  // namespace redbench
