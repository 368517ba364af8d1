#include "src/cell/cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "src/cell/cell_of_gpus.hpp"
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

bool is_wanted(const CellOptions& options, const Case& case_, Mode mode) {
  return !options.wanted || options.wanted(case_, mode);
}

/// Every record of a cell goes this way.
void emit(const CellEvents& events, const Case& case_, Mode mode, Record record) {
  add_derived(record);
  events.measured(case_, mode, std::move(record));
}

/// Validates the cases of a cell on one device, and times them in turn, on shared buffers.
class Measurement {
 public:
  Measurement(const CasesOnDevice& on, Meter& meter)
      : on_(on), meter_(meter), judge_(on, [this](const Case& case_, const Judgement& failed) {
          report_in_all_modes(case_, failed);
        }) {}

  void run() {
    if (const std::string why = judge_.wrong_pages(); !why.empty()) {
      for (const Case* case_ : on_.cases)
        report_in_all_modes(*case_, {.outcome = Outcome::unsupported, .reason = why});
      return;
    }
    const std::vector<Judgement> before = judge_.before_timing();
    if (!on_.options.timing || !meter_.stopwatch()) {
      for (std::size_t i = 0; i < on_.cases.size(); ++i) report_untimed(*on_.cases[i], before[i]);
      return;
    }
    for (const Mode mode : on_.options.measure.modes) time_cases(mode, before);
  }

 private:
  /// Whether the case still is to have a record in this mode.
  bool is_due(const Case& case_, Mode mode) const {
    return !reported_.contains({case_.number, mode}) && is_wanted(on_.options, case_, mode) &&
           why_refused(case_, mode, on_.device, on_.options).empty();
  }

  /// Nanoseconds of one run. In mode warm `warmed` is called after the run that warms the caches; else never.
  double sample(const Case& case_, Mode mode, const std::function<void()>& warmed = {}) {
    if (mode == Mode::graph) return sample_graph(case_);
    const std::vector<void*> scratch = judge_.scratch_of(case_);
    bool warms = mode == Mode::warm;
    on_.events.running(case_);
    const double ns = meter_.stopwatch()->sample(mode, includes_launches(case_), [&] {
      judge_.execute(case_, scratch);
      if (warms && warmed) warmed();
      warms = false;
    });
    on_.events.alive();
    return ns;
  }

  /// Whether the host's part of the launches is in the time of a GPU.
  bool includes_launches(const Case& case_) const {
    return on_.device.target() == Target::cuda && !hides_launch_gap(on_.device, case_);
  }

  double sample_graph(const Case& case_) {
    const Rotation::Turn turn = rotation_->next(case_);
    on_.events.running(case_);
    const double ns = meter_.stopwatch()->sample(Mode::graph, false, [&] { turn.graph.launch(); });
    on_.events.alive();
    return ns / double(turn.runs);
  }

  void report_in_all_modes(const Case& case_, const Judgement& judgement) {
    for (const Mode mode : modes_recorded(on_.device, on_.options))
      if (is_due(case_, mode)) report(case_, mode, judgement.outcome, judgement.reason);
  }

  void report(const Case& case_, Mode mode, Outcome outcome, const std::string& reason) {
    emit(case_, mode, case_record(on_.cell, case_, on_.device, mode, outcome, reason));
  }

  void emit(const Case& case_, Mode mode, Record record) {
    reported_.insert({case_.number, mode});
    redbench::emit(on_.events, case_, mode, std::move(record));
  }

  void report_untimed(const Case& case_, const Judgement& judgement) {
    const Mode mode = modes_recorded(on_.device, on_.options).front();
    if (!is_due(case_, mode)) return;
    Record record = case_record(on_.cell, case_, on_.device, mode, judgement.outcome, judgement.reason);
    add_error(record, judgement);
    if (judgement.outcome == Outcome::passed && !judgement.counters.empty()) {
      add_counters(record, judgement.counters);
      if (!judgement.trace.is_null()) record["trace"] = judgement.trace;
    }
    emit(case_, mode, std::move(record));
  }

  static void add_error(Record& record, const Judgement& judgement) {
    if (judgement.outcome != Outcome::passed) return;
    record["error"] = judgement.check.error;
    record["error_bound"] = judgement.check.bound;
  }

  /// Samples all cases of one mode in turn, together with what the instruments sample. A case is reported
  /// when its last sample is taken, or after all samples where an instrument would disturb the others.
  void time_cases(Mode mode, const std::vector<Judgement>& before) {
    std::vector<std::size_t> timed;
    for (std::size_t i = 0; i < on_.cases.size(); ++i) {
      if (!is_due(*on_.cases[i], mode)) continue;
      if (before[i].outcome == Outcome::passed) timed.push_back(i);
      else report(*on_.cases[i], mode, before[i].outcome, before[i].reason);
    }
    if (mode == Mode::graph) capture(timed);
    if (!timed.empty()) sample_cases(mode, timed, before);
    rotation_.reset();
  }

  /// Captures the cases as graphs; those that cannot be captured are reported and leave `timed`.
  void capture(std::vector<std::size_t>& timed) {
    std::vector<const Case*> cases;
    for (const std::size_t i : timed) cases.push_back(on_.cases[i]);
    rotation_.emplace(
        on_.device, cases, on_.inputs, judge_.buffers().operands(),
        [this](const Case& case_, const Operands& operands) {
          judge_.execute_on(case_, judge_.scratch_of(case_), operands);
        },
        [this](const Case& case_, const std::string& why) {
          report(case_, Mode::graph, Outcome::unsupported, why);
        },
        on_.events.alive);
    std::erase_if(timed, [this](std::size_t i) { return !is_due(*on_.cases[i], Mode::graph); });
  }

  void sample_cases(Mode mode, const std::vector<std::size_t>& timed, const std::vector<Judgement>& before) {
    const bool labelled = on_.cell.input.axes.contains("labels");
    const Sampling rounds{.meter = meter_,
                          .mode = mode,
                          .options = on_.options.measure,
                          .inputs = judge_.buffers().input_spans(),
                          .result_bytes = judge_.buffers().result_bytes(),
                          .cases = timed.size(),
                          .labelled_inputs = labelled ? on_.inputs.n : 0,
                          .label_count = labelled ? on_.inputs.m : 0,
                          .idle = on_.events.alive,
                          .result = judge_.buffers().operands().result,
                          .pages = on_.cases[0]->variant->card.pages};
    meter_.stopwatch()->calibrate(mode);
    on_.events.alive();
    const Instruments instruments(rounds);
    std::vector<std::pair<std::size_t, Record>> held;  // by the cases' places
    std::vector<Series> series;
    for (const std::size_t i : timed) {
      const Case& case_ = *on_.cases[i];
      const auto sample = [this, &case_, mode, &instruments] {
        double ns = this->sample(case_, mode);
        while (instruments.repeat(case_)) ns = this->sample(case_, mode);
        instruments.read();
        return ns;
      };
      const auto done = [&, mode, i](Series& ended) {
        const Case& case_ = *on_.cases[i];
        std::optional<Record> record = timed_record(case_, mode, ended, before[i]);
        if (!record || !read_out(i, mode, instruments.undisturbing, *record)) return;
        if (instruments.disturbing.empty()) emit(case_, mode, std::move(*record));
        else held.emplace_back(i, std::move(*record));
      };
      series.push_back({.sample = sample, .done = done, .name = case_.key(), .of_case = i});
    }
    instruments.start(series);
    sample_in_turn(series, on_.options.measure, on_.cell.input.seed,
                   [&](Series& ended, const std::string& reason) {
                     if (!ended.of_case)
                       throw DeviceError(fmt::format("measuring {}: {}", ended.name, reason));
                     fail(*on_.cases[*ended.of_case], mode, reason);
                   });
    for (auto& [i, record] : held)
      if (read_out(i, mode, instruments.disturbing, record)) emit(*on_.cases[i], mode, std::move(record));
  }

  /// What the instruments add to the record of a case. False where it failed meanwhile.
  bool read_out(std::size_t place, Mode mode, const std::vector<std::unique_ptr<Instrument>>& instruments,
                Record& record) {
    const Case& case_ = *on_.cases[place];
    const std::vector<void*> scratch = judge_.scratch_of(case_);
    const SampledCase sampled{case_, [&] { judge_.execute(case_, scratch); },
                              [&] { on_.events.running(case_); }, on_.events.alive, place};
    try {
      for (const auto& instrument : instruments) instrument->stop(sampled, record);
    } catch (const DeviceError& error) {
      fail(case_, mode, error.what());
      return false;
    }
    return true;
  }

  /// After an error while the case was measured.
  void fail(const Case& case_, Mode mode, const std::string& reason) {
    const Judgement judgement{.outcome = Outcome::failed, .reason = reason};
    judge_.recover(case_, judgement);
    if (is_due(case_, mode)) report(case_, mode, judgement.outcome, judgement.reason);
  }

  /// The record of a case whose last sample has just been taken. None where its result is wrong: that is
  /// reported.
  std::optional<Record> timed_record(const Case& case_, Mode mode, const Series& ended,
                                     const Judgement& before) {
    const std::vector<std::pair<std::string, std::function<Judgement()>>> checks{
        {"the last sample: ", [&] { return judge_.last_sample(case_); }},
        {"a sample on a poisoned result: ",
         [&] {
           return judge_.poisoned_sample(
               case_, [&](const std::function<void()>& poison) { sample(case_, mode, poison); });
         }},
        {"after timing: ", [&] { return judge_.after_timing(case_); }}};
    Judgement worst = before;
    for (const auto& [what, check] : checks) {
      const Judgement after = check();
      if (after.outcome != Outcome::passed) {
        report(case_, mode, after.outcome, what + after.reason);
        return std::nullopt;
      }
      if (after.check.error > worst.check.error) worst = after;
    }
    Record record = case_record(on_.cell, case_, on_.device, mode, Outcome::passed);
    add_error(record, worst);
    const double runs = mode == Mode::graph ? double(rotation_->size().first(1)) : 1;
    if (const std::optional<double> tick = meter_.stopwatch()->tick_ns())
      record["clock_tick_ns"] = *tick / runs;
    add_empty_sample(record, includes_launches(case_), runs);
    set_times(record, {in_tenths(ended.samples)}, error_of_a_look(on_.options.measure));
    record["stopped"] = stop_names[std::size_t(ended.stop)];
    if (mode == Mode::graph) {
      const RotationSize& size = rotation_->size();
      record["graph_copies"] = size.copies;
      record["graph_bytes"] = double(size.copies) * double(judge_.buffers().input_bytes());
      record["graph_beyond_l2"] = size.beyond_l2;
    }
    return record;
  }

  /// `runs`: of the case, in a sample.
  void add_empty_sample(Record& record, bool includes_launches, double runs) {
    const std::optional<Median> empty = meter_.stopwatch()->empty_sample();
    if (!empty) return;
    const double half_tick = meter_.stopwatch()->tick_ns().value_or(0) / 2;
    const double error = std::max({empty->high - empty->value, empty->value - empty->low, half_tick});
    record["empty_sample_ns"] = empty->value;
    record["taken_off_ns"] = includes_launches ? 0 : empty->value / runs;
    record["taken_off_error_ns"] = includes_launches ? 0 : error / runs;
  }

  const CasesOnDevice on_;
  Meter& meter_;
  Judge judge_;
  std::optional<Rotation> rotation_;                 // while the mode is graph
  std::set<std::pair<std::size_t, Mode>> reported_;  // by the cases' numbers
};

}  // namespace

std::vector<Mode> modes_recorded(const Device& device, const CellOptions& options) {
  const std::vector<Mode>& modes = options.measure.modes;
  return options.timing && device.target() != Target::simt ? modes : std::vector<Mode>{modes.front()};
}

std::string why_refused(const Case& case_, Mode mode, const Device& device, const CellOptions& options) {
  return options.timing ? why_refused_in(mode, case_, device) : case_.refusal;
}

void run_cell(const Cell& cell, Meters& meters, const CellOptions& options, const CellEvents& events) {
  std::vector<const Case*> on_kernels;
  std::map<Pages, std::vector<const Case*>> on_host;
  for (const Case& case_ : cell.cases) {
    const Device& device = meters.of(*case_.variant).device();
    bool runs = false;
    for (const Mode mode : modes_recorded(device, options)) {
      if (!is_wanted(options, case_, mode)) continue;
      const std::string refusal = why_refused(case_, mode, device, options);
      if (refusal.empty()) runs = true;
      else
        emit(events, case_, mode, case_record(cell, case_, device, mode, outcome_of_refusal(case_), refusal));
    }
    if (runs) (case_.variant->on_host() ? on_host[case_.variant->card.pages] : on_kernels).push_back(&case_);
  }
  if (gpus_of(cell.input) > 1)
    return run_cell_of_gpus(cell, on_kernels, meters.kernels.device(), options, events);
  if (on_kernels.empty() && on_host.empty()) return;

  // Making the inputs and the exact answer may take long: each step is a sign of life.
  Inputs inputs = cell.problem->make(cell.input);
  events.alive();
  ExactAnswer answer(*cell.input.pair, cell.problem->reference(cell.input, inputs));
  events.alive();
  const auto measure = [&](const std::vector<const Case*>& cases, Meter& meter) {
    Measurement({cell, meter.device(), cases, inputs, answer, options, events}, meter).run();
  };
  if (!on_kernels.empty()) measure(on_kernels, meters.kernels);
  for (const auto& [pages, cases] : on_host) measure(cases, meters.host);
}

}  // namespace redbench
