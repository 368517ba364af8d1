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

bool is_wanted(const CellOptions& options, const Case& case_, Mode mode) {
  return !options.wanted || options.wanted(case_, mode);
}

/// Why a case is not run in a mode; empty where it is.
std::string why_refused(const CellOptions& options, const Case& case_, Mode mode, const Device& device) {
  return options.timing ? why_refused_in(mode, case_, device) : case_.refusal;
}

/// Every record of a cell goes this way.
void emit(const CellEvents& events, const Case& case_, Mode mode, Record record) {
  add_derived(record);
  events.measured(case_, mode, std::move(record));
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
               [this](const Case& case_, const Judgement& failed) { report_in_all_modes(case_, failed); }) {}

  void run() {
    if (const std::string why = judge_.wrong_pages(); !why.empty()) {
      for (const Case* case_ : cases_) report_in_all_modes(*case_, {Outcome::unsupported, why, {}, {}, {}});
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
  bool wanted(const Case& case_, Mode mode) const {
    return !reported_.contains({case_.number, mode}) && is_wanted(options_, case_, mode) &&
           why_refused(options_, case_, mode, device_).empty();
  }

  /// Nanoseconds of one run. In mode warm `warmed` is called after the run that warms the caches.
  double sample(const Case& case_, Mode mode, const std::function<void()>& warmed = {}) {
    if (mode == Mode::graph) return sample_graph(case_);
    const std::vector<void*> scratch = judge_.scratch_of(case_);
    bool warms = mode == Mode::warm;
    events_.running(case_);
    const double ns = meter_.stopwatch()->sample(mode, !hides_launch_gap(device_, case_), [&] {
      judge_.execute(case_, scratch);
      if (warms && warmed) warmed();
      warms = false;
    });
    events_.alive();
    return ns;
  }

  double sample_graph(const Case& case_) {
    const Rotation::Turn turn = rotation_->next(case_);
    events_.running(case_);
    const double ns = meter_.stopwatch()->sample(Mode::graph, false, [&] { turn.graph.launch(); });
    events_.alive();
    return ns / double(turn.runs);
  }

  void report_in_all_modes(const Case& case_, const Judgement& judgement) {
    for (const Mode mode : modes_recorded(device_, options_))
      if (wanted(case_, mode)) report(case_, mode, judgement.outcome, judgement.reason);
  }

  void report(const Case& case_, Mode mode, Outcome outcome, const std::string& reason) {
    emit(case_, mode, case_record(cell_, case_, device_, mode, outcome, reason));
  }

  void emit(const Case& case_, Mode mode, Record record) {
    reported_.insert({case_.number, mode});
    redbench::emit(events_, case_, mode, std::move(record));
  }

  void report_untimed(const Case& case_, const Judgement& judgement) {
    const Mode mode = modes_recorded(device_, options_).front();
    if (!wanted(case_, mode)) return;
    Record record = case_record(cell_, case_, device_, mode, judgement.outcome, judgement.reason);
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
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (!wanted(*cases_[i], mode)) continue;
      if (before[i].outcome == Outcome::passed) timed.push_back(i);
      else report(*cases_[i], mode, before[i].outcome, before[i].reason);
    }
    if (mode == Mode::graph) capture(timed);
    if (!timed.empty()) sample_cases(mode, timed, before);
    rotation_.reset();
  }

  /// Captures the cases as graphs; those that cannot be captured are reported and leave `timed`.
  void capture(std::vector<std::size_t>& timed) {
    std::vector<const Case*> cases;
    for (const std::size_t i : timed) cases.push_back(cases_[i]);
    rotation_.emplace(
        device_, cases, inputs_, judge_.buffers().operands(),
        [this](const Case& case_, const Operands& operands) {
          judge_.execute_on(case_, judge_.scratch_of(case_), operands);
        },
        [this](const Case& case_, const std::string& why) {
          report(case_, Mode::graph, Outcome::unsupported, why);
        },
        events_.alive);
    std::erase_if(timed, [this](std::size_t i) { return !wanted(*cases_[i], Mode::graph); });
  }

  void sample_cases(Mode mode, const std::vector<std::size_t>& timed, const std::vector<Judgement>& before) {
    const bool labelled = cell_.input.axes.contains("labels");
    const Sampling rounds{meter_,
                          mode,
                          options_.measure,
                          judge_.buffers().input_spans(),
                          judge_.buffers().result_bytes(),
                          timed.size(),
                          labelled ? inputs_.n : 0,
                          labelled ? inputs_.m : 0,
                          events_.alive,
                          judge_.buffers().operands().result};
    const Instruments instruments(rounds);
    std::vector<std::pair<std::size_t, Record>> held;  // by the cases' places
    std::vector<Series> series;
    for (const std::size_t i : timed) {
      const Case& case_ = *cases_[i];
      const auto sample = [this, &case_, mode, &instruments] {
        double ns = this->sample(case_, mode);
        while (instruments.repeat(case_)) ns = this->sample(case_, mode);
        instruments.read();
        return ns;
      };
      const auto done = [&, mode, i](Series& ended) {
        const Case& case_ = *cases_[i];
        std::optional<Record> record = timed_record(case_, mode, ended, before[i]);
        if (!record || !read_out(i, mode, instruments.undisturbing, *record)) return;
        if (instruments.disturbing.empty()) emit(case_, mode, std::move(*record));
        else held.emplace_back(i, std::move(*record));
      };
      series.push_back({.sample = sample, .done = done, .name = case_.key(), .of_case = i});
    }
    instruments.start(series);
    sample_in_turn(series, options_.measure, cell_.input.seed, [&](Series& ended, const std::string& reason) {
      if (!ended.of_case) throw DeviceError(fmt::format("measuring {}: {}", ended.name, reason));
      fail(*cases_[*ended.of_case], mode, reason);
    });
    for (auto& [i, record] : held)
      if (read_out(i, mode, instruments.disturbing, record)) emit(*cases_[i], mode, std::move(record));
  }

  /// What the instruments add to the record of a case. False where it failed meanwhile.
  bool read_out(std::size_t place, Mode mode, const std::vector<std::unique_ptr<Instrument>>& instruments,
                Record& record) {
    const Case& case_ = *cases_[place];
    const std::vector<void*> scratch = judge_.scratch_of(case_);
    const SampledCase sampled{case_, [&] { judge_.execute(case_, scratch); }, [&] { events_.running(case_); },
                              events_.alive, place};
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
    const Judgement judgement{Outcome::failed, reason, {}, {}, {}};
    judge_.recover(case_, judgement);
    if (wanted(case_, mode)) report(case_, mode, judgement.outcome, judgement.reason);
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
    Record record = case_record(cell_, case_, device_, mode, Outcome::passed);
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
  std::optional<Rotation> rotation_;                 // while the mode is graph
  std::set<std::pair<std::size_t, Mode>> reported_;  // by the cases' numbers
};

}  // namespace

std::vector<Mode> modes_recorded(const Device& device, const CellOptions& options) {
  const std::vector<Mode>& modes = options.measure.modes;
  return options.timing && device.target() != Target::simt ? modes : std::vector<Mode>{modes.front()};
}

void run_cell(const Cell& cell, Meters& meters, const CellOptions& options, const CellEvents& events) {
  std::vector<const Case*> on_kernels;
  std::map<Pages, std::vector<const Case*>> on_host;
  for (const Case& case_ : cell.cases) {
    const Device& device = meters.of(*case_.variant).device();
    bool runs = false;
    for (const Mode mode : modes_recorded(device, options)) {
      if (!is_wanted(options, case_, mode)) continue;
      const std::string refusal = why_refused(options, case_, mode, device);
      if (refusal.empty()) runs = true;
      else emit(events, case_, mode, case_record(cell, case_, device, mode, Outcome::unsupported, refusal));
    }
    if (runs) (case_.variant->on_host() ? on_host[case_.variant->card.pages] : on_kernels).push_back(&case_);
  }
  if (on_kernels.empty() && on_host.empty()) return;

  // Making the inputs and the exact answer may take long: each step is a sign of life.
  Inputs inputs = cell.problem->make(cell.input);
  events.alive();
  ExactAnswer answer(*cell.input.pair, cell.problem->reference(cell.input, inputs));
  events.alive();
  if (!on_kernels.empty()) Bench(cell, meters.kernels, on_kernels, inputs, answer, options, events).run();
  for (const auto& [pages, cases] : on_host)
    Bench(cell, meters.host, cases, inputs, answer, options, events).run();
}

}  // namespace redbench
