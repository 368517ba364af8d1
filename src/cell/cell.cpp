#include "src/cell/cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "src/cell/counted.hpp"
#include "src/cell/forks.hpp"
#include "src/cell/judge.hpp"
#include "src/cell/rotation.hpp"
#include "src/error.hpp"
#include "src/instruments/instrument.hpp"
#include "src/measure/launch_gap.hpp"
#include "src/records/derived.hpp"
#include "src/records/record.hpp"

namespace redbench {
namespace {

/// Why a case is not run for a mode; empty where it is.
std::string refusal_of(const CellOptions& options, const Case& one, Mode mode, const Device& device) {
  return options.timing ? refusal_in(mode, one, device) : one.refusal;
}

bool is_wanted(const CellOptions& options, const Case& one, Mode mode, const Device& device) {
  return (!options.wanted || options.wanted(one, mode)) && refusal_of(options, one, mode, device).empty();
}

/// The cases of a cell that run on one device and in one kind of pages, on shared buffers.
class Bench {
 public:
  Bench(const Cell& cell, Meter& meter, const std::vector<const Case*>& cases, Inputs& inputs,
        ExactAnswer& answer, const CellOptions& options, const CellEvents& events)
      : cell_(cell),
        meter_(meter),
        device_(meter.device()),
        cases_(cases),
        inputs_(inputs),
        options_(options),
        events_(events),
        judge_(cell, device_, cases, inputs, answer, options, events,
               [this](const Case& one, const Judgement& verdict) { report_in_all_modes(one, verdict); }) {}

  void run() {
    if (const std::string why = judge_.wrong_pages(); !why.empty()) {
      for (const Case* one : cases_) report_in_all_modes(*one, {Outcome::unsupported, why, {}, {}, {}});
      return;
    }
    const std::vector<Judgement> before = judge_.before_timing();
    if (!options_.timing || !meter_.stopwatch()) {
      for (std::size_t i = 0; i < cases_.size(); ++i) report_untimed(*cases_[i], before[i]);
      return;
    }
    for (const Mode mode : options_.measure.modes) time_cases(mode, before);
  }

 private:
  bool wanted(const Case& one, Mode mode) const {
    return !reported_.contains({&one, mode}) && is_wanted(options_, one, mode, device_);
  }

  /// Nanoseconds of one run. `warmed` follows the run that warms, before the time begins.
  double sample(const Case& one, Mode mode, const std::function<void()>& warmed = {}) {
    if (mode == Mode::graph) return sample_graph(one);
    const std::vector<void*> scratch = judge_.scratch_of(one);
    bool warms = mode == Mode::warm;
    events_.running(one);
    const double ns = meter_.stopwatch()->sample(mode, !hides_launch_gap(device_, one), [&] {
      judge_.execute(one, scratch);
      if (warms && warmed) warmed();
      warms = false;
    });
    events_.idle();
    return ns;
  }

  double sample_graph(const Case& one) {
    const Rotation::Turn turn = rotation_->next(one);
    events_.running(one);
    const double ns = meter_.stopwatch()->sample(Mode::graph, false, [&] { turn.graph.launch(); });
    events_.idle();
    return ns / double(turn.runs);
  }

  void report_in_all_modes(const Case& one, const Judgement& verdict) {
    for (const Mode mode : options_.measure.modes)
      if (wanted(one, mode)) report(one, mode, verdict.outcome, verdict.reason);
  }

  void report(const Case& one, Mode mode, Outcome outcome, const std::string& reason) {
    emit(one, mode, case_record(cell_, one, device_, mode, outcome, reason));
  }

  void emit(const Case& one, Mode mode, Record record) {
    add_derived(record);
    reported_.insert({&one, mode});
    events_.finished(std::move(record));
  }

  void report_untimed(const Case& one, const Judgement& verdict) {
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

  static void add_error(Record& record, const Judgement& verdict) {
    if (verdict.outcome != Outcome::passed) return;
    record["error"] = verdict.check.error;
    record["error_bound"] = verdict.check.bound;
  }

  /// Samples all cases of one mode in turn, with what the instruments sample beside them. A case is reported
  /// as it ends, or after the last sample where an instrument would disturb the others.
  void time_cases(Mode mode, const std::vector<Judgement>& before) {
    std::vector<std::size_t> timed;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (!wanted(*cases_[i], mode)) continue;
      if (before[i].outcome == Outcome::passed) timed.push_back(i);
      else report(*cases_[i], mode, before[i].outcome, before[i].reason);
    }
    if (mode == Mode::graph) capture(timed);
    if (!timed.empty()) sample_cases(mode, timed, before);
    rotation_.reset();
  }

  /// Leaves those that cannot be captured out.
  void capture(std::vector<std::size_t>& timed) {
    std::vector<const Case*> cases;
    for (const std::size_t i : timed) cases.push_back(cases_[i]);
    rotation_.emplace(
        device_, cases, inputs_, judge_.buffers().operands(),
        [this](const Case& one, const Operands& operands) {
          judge_.execute_on(one, judge_.scratch_of(one), operands);
        },
        [this](const Case& one, const std::string& why) {
          report(one, Mode::graph, Outcome::unsupported, why);
        },
        events_.idle);
    std::erase_if(timed, [this](std::size_t i) { return !wanted(*cases_[i], Mode::graph); });
  }

  void sample_cases(Mode mode, const std::vector<std::size_t>& timed, const std::vector<Judgement>& before) {
    const bool labelled = cell_.input.axes.contains("labels");
    const Session session{meter_,
                          mode,
                          options_.measure,
                          judge_.buffers().input_spans(),
                          judge_.buffers().result_bytes(),
                          timed.size(),
                          labelled ? inputs_.n : 0,
                          labelled ? inputs_.m : 0,
                          events_.idle,
                          judge_.buffers().operands().result};
    const Instruments instruments(session);
    std::vector<std::pair<const Case*, Record>> held;
    std::vector<Contender> contenders;
    for (const std::size_t i : timed) {
      const Case& one = *cases_[i];
      const auto sample = [this, &one, mode, &instruments] {
        double ns = this->sample(one, mode);
        while (instruments.repeat(one)) ns = this->sample(one, mode);
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
    const std::vector<void*> scratch = judge_.scratch_of(one);
    const Sampled sampled{one, [&] { judge_.execute(one, scratch); }, [&] { events_.running(one); },
                          events_.idle};
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
    const Judgement verdict{Outcome::failed, reason, {}, {}, {}};
    judge_.survive_or_leave(one, verdict);
    if (wanted(one, mode)) report(one, mode, verdict.outcome, verdict.reason);
  }

  /// The record of a case whose last sample has just been taken, or none where its result is wrong.
  std::optional<Record> timed_record(const Case& one, Mode mode, const Contender& ended,
                                     const Judgement& before) {
    const std::vector<std::pair<std::string, std::function<Judgement()>>> checks{
        {"the last sample: ", [&] { return judge_.last_sample(one); }},
        {"a sample on a poisoned result: ",
         [&] {
           return judge_.poisoned_sample(
               one, [&](const std::function<void()>& poison) { sample(one, mode, poison); });
         }},
        {"after timing: ", [&] { return judge_.after_timing(one); }}};
    Judgement worst = before;
    for (const auto& [what, check] : checks) {
      const Judgement after = check();
      if (after.outcome != Outcome::passed) {
        report(one, mode, after.outcome, what + after.reason);
        return std::nullopt;
      }
      if (after.check.error > worst.check.error) worst = after;
    }
    Record record = case_record(cell_, one, device_, mode, Outcome::passed);
    add_error(record, worst);
    if (const std::optional<double> tick = meter_.stopwatch()->tick_ns())
      record["clock_tick_ns"] = mode == Mode::graph ? *tick / double(rotation_->size().first(1)) : *tick;
    set_times(record, {in_tenths(ended.samples)}, error_of_a_look(options_.measure));
    record["stopped"] = stop_names[std::size_t(ended.stop)];
    if (mode == Mode::graph) {
      const RotationSize& size = rotation_->size();
      record["graph_copies"] = size.copies;
      record["graph_bytes"] = double(size.copies) * double(judge_.buffers().input_bytes());
      record["graph_beyond_l2"] = size.beyond_l2;
    }
    return record;
  }

  const Cell& cell_;
  Meter& meter_;
  Device& device_;
  const std::vector<const Case*>& cases_;
  Inputs& inputs_;
  const CellOptions& options_;
  const CellEvents& events_;
  Judge judge_;
  std::optional<Rotation> rotation_;  // while the mode is graph
  std::set<std::pair<const Case*, Mode>> reported_;
};

}  // namespace

void run_cell(const Cell& cell, Meters& meters, const CellOptions& options, const CellEvents& events) {
  std::vector<const Case*> on_kernels;
  std::map<Pages, std::vector<const Case*>> on_host;
  for (const Case& one : cell.cases) {
    const Device& device = meters.of(*one.variant).device();
    bool runs = false;
    for (const Mode mode : options.measure.modes) {
      if (options.wanted && !options.wanted(one, mode)) continue;
      const std::string refusal = refusal_of(options, one, mode, device);
      runs = runs || refusal.empty();
      if (!refusal.empty())
        events.finished(case_record(cell, one, device, mode, Outcome::unsupported, refusal));
    }
    if (runs) (one.variant->on_host() ? on_host[one.variant->card.pages] : on_kernels).push_back(&one);
  }
  if (on_kernels.empty() && on_host.empty()) return;

  // Each step of what comes before the first case is a sign of life.
  Inputs inputs = cell.problem->make(cell.input);
  events.idle();
  ExactAnswer answer(*cell.input.pair, cell.problem->reference(cell.input, inputs));
  events.idle();
  if (!on_kernels.empty()) Bench(cell, meters.kernels, on_kernels, inputs, answer, options, events).run();
  for (const auto& [pages, cases] : on_host)
    Bench(cell, meters.host, cases, inputs, answer, options, events).run();
}

}  // namespace redbench
