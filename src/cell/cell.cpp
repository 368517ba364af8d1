#include "src/cell/cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "src/cell/buffers.hpp"
#include "src/cell/counted.hpp"
#include "src/cell/forks.hpp"
#include "src/cell/validate.hpp"
#include "src/error.hpp"
#include "src/instruments/instrument.hpp"
#include "src/measure/launch_gap.hpp"
#include "src/records/derived.hpp"
#include "src/records/record.hpp"

namespace redbench {
namespace {

// Larger inputs are compared once a cell: to copy them back after every case would take longer than the case.
constexpr std::size_t small_inputs = std::size_t(16) << 20;

/// What came of a case before its time is taken.
struct Verdict {
  Outcome outcome = Outcome::passed;
  std::string reason;
  Check check;
  std::vector<LaunchCounters> counters;  // by launch; empty where nothing was counted
  Json trace;                            // of the record; null without
};

/// The cases of a cell that run on one device, on shared buffers.
class Bench {
 public:
  Bench(const Cell& cell, Meter& meter, const std::vector<const Case*>& cases, const Inputs& inputs,
        ExactAnswer& answer, const CellOptions& options, const CellEvents& events)
      : cell_(cell),
        meter_(meter),
        device_(meter.device()),
        cases_(cases),
        answer_(answer),
        result_poison_(result_poison(answer)),
        options_(options),
        events_(events),
        buffers_(device_, inputs, cases[0]->sizes.result),
        scratch_(device_, largest_scratch(cases)) {}

  void run() {
    std::vector<Verdict> before;
    for (const Case* one : cases_) before.push_back(judge(*one, 0, inputs_are_small()));
    if (!inputs_are_small()) blame_for_written_inputs(before);

    if (!options_.timing || !meter_.stopwatch()) {
      for (std::size_t i = 0; i < cases_.size(); ++i) report_untimed(*cases_[i], before[i]);
      return;
    }
    for (const Mode mode : options_.measure.modes) time_cases(mode, before);
  }

 private:
  static std::size_t largest_scratch(const std::vector<const Case*>& cases) {
    std::size_t largest = 0;
    for (const Case* one : cases)
      largest = std::max(largest, GuardedMemory::room_for(one->footprint.scratch));
    return largest;
  }

  bool inputs_are_small() const { return buffers_.input_bytes() <= small_inputs; }
  bool wanted(const Case& one, Mode mode) const {
    return !reported_.contains({&one, mode}) && (!options_.wanted || options_.wanted(one, mode));
  }

  void execute(const Case& one, const std::vector<void*>& scratch) {
    Queue queue(device_, one.parameters, scratch);
    one.instance->run(queue, buffers_.operands());
  }

  /// The same, counted where that is asked for and the device can.
  std::vector<LaunchCounters> execute_counted(const Case& one, const std::vector<void*>& scratch) {
    const auto work = [&] { execute(one, scratch); };
    if (options_.measure.counters && device_.profiler())
      return device_.profiler()->count(traced_warp(options_.measure), work);
    work();
    return {};
  }

  /// One run on poisoned memory against the exact answer. `round` picks the poison.
  Verdict judge(const Case& one, int round, bool check_inputs) {
    Verdict verdict;
    try {
      events_.running(one);
      buffers_.poison_result(result_poison_);
      verdict.counters =
          execute_counted(one, scratch_.cut(one.footprint.scratch, scratch_poison(*one.input.pair, round)));
      verdict.trace = trace_of(options_.measure, one, verdict.counters);
      device_.finish();
      const HostBuffer result = buffers_.download_result();
      std::string damage = buffers_.damage();
      if (damage.empty()) damage = scratch_.damage(scratch_names(one));
      events_.idle();
      verdict.check = check_result(*one.input.pair, answer_, result.data.get(), one.footprint.chain);
      if (damage.empty() && check_inputs && !buffers_.inputs_intact()) damage = "writes its inputs";
      if (!damage.empty()) buffers_.restore();
      verdict.reason = damage.empty() ? verdict.check.what : damage;
      if (!damage.empty() || !verdict.check.right) verdict.outcome = Outcome::wrong;
    } catch (const DeviceError& error) {
      verdict = {Outcome::failed, error.what(), {}, {}, {}};
      survive_or_leave(one, verdict);
    }
    return verdict;
  }

  static std::vector<std::string> scratch_names(const Case& one) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < std::max<std::size_t>(1, one.footprint.scratch.size()); ++i)
      names.push_back(fmt::format("scratch {}", i));
    return names;
  }

  /// After an error: a device that is lost (CUDA's sticky errors) fails every later call, so the case's
  /// records are written before the cell is given up.
  void survive_or_leave(const Case& one, const Verdict& verdict) {
    try {
      device_.finish();
      buffers_.restore();
    } catch (const DeviceError& error) {
      for (const Mode mode : options_.measure.modes)
        if (wanted(one, mode)) report(one, mode, verdict.outcome, verdict.reason);
      throw;
    }
    events_.idle();
  }

  /// One comparison for all cases of the cell; only where it fails they are run one by one.
  void blame_for_written_inputs(std::vector<Verdict>& verdicts) {
    if (buffers_.inputs_intact()) return;
    buffers_.restore();
    for (std::size_t i = 0; i < cases_.size(); ++i)
      if (verdicts[i].outcome == Outcome::passed || verdicts[i].outcome == Outcome::wrong)
        verdicts[i] = judge(*cases_[i], 0, true);
  }

  void report(const Case& one, Mode mode, Outcome outcome, const std::string& reason) {
    emit(one, mode, case_record(cell_, one, device_, mode, outcome, reason));
  }

  void emit(const Case& one, Mode mode, Record record) {
    add_derived(record);
    reported_.insert({&one, mode});
    events_.finished(std::move(record));
  }

  void report_untimed(const Case& one, const Verdict& verdict) {
    const Mode mode = options_.measure.modes.front();
    if (!wanted(one, mode)) return;
    Record record = case_record(cell_, one, device_, mode, verdict.outcome, verdict.reason);
    add_error(record, verdict);
    if (verdict.outcome == Outcome::passed && !verdict.counters.empty()) {
      add_counters(record, verdict.counters);
      if (!verdict.trace.is_null()) record["trace"] = verdict.trace;
    }
    emit(one, mode, std::move(record));
  }

  static void add_error(Record& record, const Verdict& verdict) {
    if (verdict.outcome != Outcome::passed) return;
    record["error"] = verdict.check.error;
    record["error_bound"] = verdict.check.bound;
  }

  /// Samples all cases of one mode in turn, with what the instruments sample beside them. A case is reported
  /// as it ends, or after the last sample where an instrument would disturb the others.
  void time_cases(Mode mode, const std::vector<Verdict>& before) {
    std::vector<std::size_t> timed;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (!wanted(*cases_[i], mode)) continue;
      if (before[i].outcome == Outcome::passed) timed.push_back(i);
      else report(*cases_[i], mode, before[i].outcome, before[i].reason);
    }
    if (timed.empty()) return;

    const Session session{
        meter_, mode, options_.measure, buffers_.input_spans(), buffers_.result_bytes(), timed.size()};
    const Instruments instruments(session);
    std::vector<std::pair<const Case*, Record>> held;
    std::vector<Contender> contenders;
    for (const std::size_t i : timed) {
      const Case& one = *cases_[i];
      const auto sample = [this, &one, mode, &instruments] {
        const std::vector<void*> scratch = scratch_.places(one.footprint.scratch);
        events_.running(one);
        const double ns =
            meter_.stopwatch()->sample(mode, !hides_launch_gap(device_, one), [&] { execute(one, scratch); });
        events_.idle();
        instruments.read();
        return ns;
      };
      const auto done = [&, mode, i](Contender& ended) {
        const Case& one = *cases_[i];
        std::optional<Record> record = timed_record(one, mode, ended, before[i]);
        if (!record || !read_out(one, mode, instruments.undisturbing, *record)) return;
        if (instruments.disturbing.empty()) emit(one, mode, std::move(*record));
        else held.emplace_back(&one, std::move(*record));
      };
      contenders.push_back({.sample = sample, .done = done, .name = one.key()});
    }
    instruments.start(contenders);
    sample_in_turn(contenders, options_.measure, cell_.input.seed,
                   [&](Contender& ended, const std::string& reason) {
                     const std::size_t number = std::size_t(&ended - contenders.data());
                     if (number >= timed.size())
                       throw DeviceError(fmt::format("measuring {}: {}", ended.name, reason));
                     fail(*cases_[timed[number]], mode, reason);
                   });
    for (auto& [one, record] : held)
      if (read_out(*one, mode, instruments.disturbing, record)) emit(*one, mode, std::move(record));
  }

  /// What the instruments add to the record of a case. False where it failed meanwhile.
  bool read_out(const Case& one, Mode mode, const std::vector<std::unique_ptr<Instrument>>& instruments,
                Record& record) {
    const std::vector<void*> scratch = scratch_.places(one.footprint.scratch);
    const Sampled sampled{one, [&] { execute(one, scratch); }, [&] { events_.running(one); }, events_.idle};
    try {
      for (const auto& instrument : instruments) instrument->stop(sampled, record);
    } catch (const DeviceError& error) {
      fail(one, mode, error.what());
      return false;
    }
    return true;
  }

  /// After an error while a case was measured.
  void fail(const Case& one, Mode mode, const std::string& reason) {
    const Verdict verdict{Outcome::failed, reason, {}, {}, {}};
    survive_or_leave(one, verdict);
    if (wanted(one, mode)) report(one, mode, verdict.outcome, verdict.reason);
  }

  /// The record of a case whose samples are taken, or none where its result was wrong at last.
  std::optional<Record> timed_record(const Case& one, Mode mode, const Contender& ended,
                                     const Verdict& before) {
    const Verdict after = judge(one, 1, inputs_are_small());
    if (after.outcome != Outcome::passed) {
      report(one, mode, after.outcome, "after timing: " + after.reason);
      return std::nullopt;
    }
    Record record = case_record(cell_, one, device_, mode, Outcome::passed);
    add_error(record, before.check.error >= after.check.error ? before : after);
    set_times(record, {in_tenths(ended.samples)}, error_of_a_look(options_.measure));
    record["stopped"] = stop_names[std::size_t(ended.stop)];
    return record;
  }

  const Cell& cell_;
  Meter& meter_;
  Device& device_;
  const std::vector<const Case*>& cases_;
  ExactAnswer& answer_;
  const unsigned char result_poison_;
  const CellOptions& options_;
  const CellEvents& events_;
  CellBuffers buffers_;
  GuardedMemory scratch_;
  std::set<std::pair<const Case*, Mode>> reported_;
};

}  // namespace

void run_cell(const Cell& cell, Meters& meters, const CellOptions& options, const CellEvents& events) {
  std::vector<const Case*> on_kernels, on_host;
  for (const Case& one : cell.cases) {
    const auto wanted = [&](Mode mode) { return !options.wanted || options.wanted(one, mode); };
    if (!one.refusal.empty()) {
      for (const Mode mode : options.measure.modes)
        if (wanted(mode))
          events.finished(case_record(cell, one, meters.of(*one.variant).device(), mode, Outcome::unsupported,
                                      one.refusal));
    } else if (std::any_of(options.measure.modes.begin(), options.measure.modes.end(), wanted)) {
      (one.variant->on_host() ? on_host : on_kernels).push_back(&one);
    }
  }
  if (on_kernels.empty() && on_host.empty()) return;

  // Each step of what comes before the first case is a sign of life.
  const Inputs inputs = cell.problem->make(cell.input);
  events.idle();
  ExactAnswer answer(*cell.input.pair, cell.problem->reference(cell.input, inputs));
  events.idle();
  if (!on_kernels.empty()) Bench(cell, meters.kernels, on_kernels, inputs, answer, options, events).run();
  if (!on_host.empty()) Bench(cell, meters.host, on_host, inputs, answer, options, events).run();
}

}  // namespace redbench
