#include "src/run/worker_slot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "src/device/processes.hpp"
#include "src/json/node.hpp"
#include "src/json/parse.hpp"
#include "src/run/verification.hpp"

namespace redbench {

void WorkerSlot::take(CellTask task) {
  task_ = std::move(task);
  fault_.clear();
  retried_ = false;
  begin();
}

void WorkerSlot::rest() {
  if (process_ && joins()) process_->finish();
  process_.reset();
}

void WorkerSlot::receive() {
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

void WorkerSlot::check_hang() {
  if (!task_ || silent_s() < limit_s()) return;
  std::string how = fmt::format("no sign of life for {:g} s; its process ", silent_s());
  const bool is_killed = process_->stop(work_.idle_s);
  how += is_killed ? "was killed" : "cannot be killed";
  if (!is_killed && others_could_()) return give_up(how, 2);
  if (is_running_missing()) fail_running(Outcome::timeout, how);
  else if (has_started_) fail_all(Outcome::timeout, "while the inputs were made, " + how);
  else if (others_could_()) return give_up("as its process started, " + how, 2);
  else fail_all(Outcome::timeout, "as its process started, " + how);
  resume();
}

/// Sends the task to the process, a new one where there is none.
void WorkerSlot::begin() {
  running_.reset();
  executes_ = false;
  begun_ = last_sign_ = Clock::now();
  leave_out_hung();
  if (task_->missing.empty()) return end_task();
  if (!process_) {
    if (joins() && !claim_processes()) {
      fail_all(Outcome::failed, ended_with_another);
      return end_task();
    }
    process_ = std::make_unique<WorkerProcess>(place_.variables, place_.cores);
    has_started_ = false;
    Json work = to_json(work_);
    if (joins()) work["gpus_of_processes"] = place_.gpus_of_processes;
    process_->send(work);
  }
  process_->send(to_json(*task_));
  progress_.making_inputs(task_->cell);
}

void WorkerSlot::handle(const Json& message) {
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
    if (others_could_() && is_fault_of_device(message))
      return give_up(message["record"]["reason"],
                     part_of(message["record"], "outcome") == name_of(Outcome::failed));
    retried_ = false;
    finish({message["number"].get<std::size_t>(), mode_named(message["mode"])}, message["record"]);
  } else if (message.contains("refused")) {
    fail_all(Outcome::failed, message["refused"]);
    end_task();
  } else if (message.contains("done")) {
    end_task();
  }
}

void WorkerSlot::finish(const CaseInMode& made, Record record) {
  std::erase(task_->missing, made);
  made_(*task_, made, std::move(record));
}

void WorkerSlot::end_task() {
  progress_.ended(task_->planned_s, seconds_since(begun_));
  task_.reset();
}

/// Why the process cannot have meant this message, as a kernel may write to any descriptor; empty where it
/// may have.
std::string WorkerSlot::why_no_message(const Json& message) const {
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
void WorkerSlot::ended(const std::string& how) {
  if (!process_->stop(work_.idle_s) && others_could_()) return give_up(how, 2);
  if (is_running_missing()) {
    fail_running(Outcome::failed, how);
  } else if (joins() || std::exchange(retried_, true)) {
    // Between two cases the inputs may be at fault, or what killed the process from outside. It is retried once; the
    // second death without a record fails the rest of the cell. A device that cannot even be opened twice is at fault.
    if (!has_started_ && others_could_()) return give_up(how, 2);
    fail_all(Outcome::failed, "while the inputs were made, " + how);
  }
  resume();
}

void WorkerSlot::resume() {
  process_.reset();
  ++task_->attempt;
  begin();
}

void WorkerSlot::give_up(const std::string& fault, int strikes) {
  process_.reset();
  task_.reset();
  fault_ = fault;
  strikes_ = strikes;
}

/// Whether a record tells of its device rather than of its case: another process has its memory, or it is broken.
bool WorkerSlot::is_fault_of_device(const Json& message) const {
  const Json text = part_of(message["record"], "reason");
  if (!text.is_string()) return false;
  const std::string reason = text;
  constexpr std::array errors{"(cudaErrorMemoryAllocation)",   "(cudaErrorNoDevice)",
                              "(cudaErrorDevicesUnavailable)", "(cudaErrorDeviceUninitialized)",
                              "(cudaErrorECCUncorrectable)",   "(cudaErrorNvlinkUncorrectable)",
                              "(cudaErrorHardwareStackError)", "(cudaErrorSystemNotReady)",
                              "(cudaErrorStartupFailure)",     "(cudaErrorUnknown)"};
  if (part_of(message["record"], "outcome") == name_of(Outcome::failed))
    return std::ranges::any_of(errors, [&](const char* error) { return reason.find(error) != reason.npos; });
  // The worker found less memory than its parent planned with (memory_refusal in src/plan/refusals.cpp): no strike, as that
  // may be its own other forks'.
  const Case& case_ = work_.plan.cells[task_->cell].cases[message["number"].get<std::size_t>()];
  return case_.refusal.empty() && reason.starts_with("needs ") && reason.ends_with(" free");
}

/// A kernel that hung on two shapes would hang on most of a battery, for `hang_s` each.
void WorkerSlot::leave_out_hung() {
  if (work_.kind != Job::Kind::verify) return;
  for (const CaseInMode& missing : std::vector(task_->missing))
    if (hangs_[variant_of(missing.number)] >= 2) fail(missing, Outcome::timeout, std::string(not_tried));
}

/// Whether the case that runs still has to have a record: else it is not to blame for what comes after it.
bool WorkerSlot::is_running_missing() const {
  return running_ && std::ranges::count(task_->missing, *running_, &CaseInMode::number) > 0;
}

/// The case that runs gets this outcome in every mode in which it still has no record.
void WorkerSlot::fail_running(Outcome outcome, const std::string& reason) {
  if (outcome == Outcome::timeout) ++hangs_[variant_of(*running_)];
  for (const CaseInMode& missing : std::vector(task_->missing))
    if (missing.number == *running_) fail(missing, outcome, reason);
}

void WorkerSlot::fail_all(Outcome outcome, const std::string& reason) {
  for (const CaseInMode& missing : std::vector(task_->missing)) fail(missing, outcome, reason);
}

void WorkerSlot::fail(const CaseInMode& missing, Outcome outcome, const std::string& reason) {
  finish(missing, failed_record(work_, task_->cell, missing, outcome, reason));
}

Record failed_record(const Work& work, std::size_t cell, const CaseInMode& of, Outcome outcome,
                     const std::string& reason) {
  const Case& case_ = work.plan.cells[cell].cases[of.number];
  return case_record(work.plan.cells[cell], case_, work.device_of(case_), of.mode, outcome, reason);
}

}  // namespace redbench
