#include "src/cell/cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "src/cell/buffers.hpp"
#include "src/cell/counted.hpp"
#include "src/cell/forks.hpp"
#include "src/cell/rotation.hpp"
#include "src/cell/validate.hpp"
#include "src/error.hpp"
#include "src/instruments/instrument.hpp"
#include "src/measure/launch_gap.hpp"
#include "src/records/derived.hpp"
#include "src/records/record.hpp"
#include "src/reference/planted.hpp"

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
        answer_(answer),
        options_(options),
        events_(events),
        pages_(cases[0]->variant->card.pages),
        buffers_(device_, inputs, cases[0]->sizes.result, pages_),
        scratch_(device_, largest_scratch(cases), pages_) {}

  void run() {
    if (const std::string why = wrong_pages(); !why.empty()) return refuse(why);
    std::vector<Verdict> before;
    for (const Case* one : cases_) before.push_back(judge_first(*one, inputs_are_small()));
    if (!inputs_are_small()) blame_for_written_inputs(before);
    if (options_.timing) judge_other_values(before);

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

  std::string wrong_pages() {
    if (pages_ == Pages::any) return {};
    const std::string why = buffers_.wrong_pages();
    scratch_.cut({}, 0);
    return why.empty() ? scratch_.wrong_pages() : why;
  }

  void refuse(const std::string& why) {
    for (const Case* one : cases_)
      for (const Mode mode : options_.measure.modes)
        if (wanted(*one, mode)) report(*one, mode, Outcome::unsupported, why);
  }

  bool inputs_are_small() const { return buffers_.input_bytes() <= small_inputs; }
  bool wanted(const Case& one, Mode mode) const {
    return !reported_.contains({&one, mode}) && is_wanted(options_, one, mode, device_);
  }

  void execute(const Case& one, const std::vector<void*>& scratch) {
    execute_on(one, scratch, buffers_.operands());
  }
  void execute_on(const Case& one, const std::vector<void*>& scratch, const Operands& operands) {
    Queue queue(device_, one.parameters, one.footprint, scratch);
    one.instance->run(queue, operands);
  }

  /// The same, counted where that is asked for and the device can.
  std::vector<LaunchCounters> execute_counted(const Case& one, const std::vector<void*>& scratch) {
    const auto work = [&] { execute(one, scratch); };
    if (options_.measure.counters && device_.profiler())
      return device_.profiler()->count(traced_warp(options_.measure), work);
    work();
    return {};
  }

  /// What `run` leaves in a poisoned result, against the exact answer; without it, what the sample before
  /// has left. `run` cuts the scratch memory.
  Verdict judge(const Case& one, ExactAnswer& answer, bool check_inputs,
                const std::function<void(Verdict&)>& run) {
    Verdict verdict;
    try {
      if (run) {
        const unsigned char poison = result_poison(answer);
        events_.running(one);
        buffers_.poison_result(poison);
        run(verdict);
        device_.finish();
      }
      const HostBuffer result = buffers_.download_result();
      std::string damage = buffers_.damage();
      if (run && damage.empty()) damage = scratch_.damage(scratch_names(one));
      events_.idle();
      verdict.check = check_result(*one.input.pair, answer, result.data.get(), one.footprint.chain);
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

  /// Poisoned scratch memory for a run that is judged; `round` picks the poison.
  std::vector<void*> poisoned_scratch(const Case& one, int round) {
    return scratch_.cut(one.footprint.scratch, scratch_poison(*one.input.pair, round));
  }

  /// Counted, where that is asked for.
  Verdict judge_first(const Case& one, bool check_inputs) {
    return judge(one, answer_, check_inputs, [&](Verdict& verdict) {
      verdict.counters = execute_counted(one, poisoned_scratch(one, 0));
      verdict.trace = trace_of(options_.measure, one, verdict.counters);
    });
  }

  Verdict judge_plainly(const Case& one, ExactAnswer& answer, int round, bool check_inputs) {
    return judge(one, answer, check_inputs, [&](Verdict&) { execute(one, poisoned_scratch(one, round)); });
  }

  /// One more sample, which does not count, on the scratch memory that the one before left: a result that is
  /// not written in every sample does not show in what the last one left.
  Verdict judge_poisoned_sample(const Case& one, Mode mode) {
    return judge(one, answer_, false, [&](Verdict&) {
      scratch_.guard(one.footprint.scratch);
      sample(one, mode, [&] { buffers_.poison_result(result_poison(answer_)); });
    });
  }

  /// Nanoseconds of one run. `warmed` follows the run that warms, before the time begins.
  double sample(const Case& one, Mode mode, const std::function<void()>& warmed = {}) {
    if (mode == Mode::graph) return sample_graph(one);
    const std::vector<void*> scratch = scratch_.places(one.footprint.scratch);
    bool warms = mode == Mode::warm;
    events_.running(one);
    const double ns = meter_.stopwatch()->sample(mode, !hides_launch_gap(device_, one), [&] {
      execute(one, scratch);
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
        verdicts[i] = judge_first(*cases_[i], true);
  }

  /// What the cell's own values may hide, at the same n: sums that round, one value too few within their
  /// bound; operators that take one value of many, all others.
  void judge_other_values(std::vector<Verdict>& verdicts) {
    if (cell_.input.op == Operator::sum && cases_[0]->sizes.rounded_terms > 0) judge_on_exact(verdicts);
    else if (hides_values(*cell_.input.pair)) judge_planted(verdicts);
  }

  void judge_on_exact(std::vector<Verdict>& verdicts) {
    InputSpec exact = cell_.input;
    exact.axes["values"] = "exact";
    try {
      cell_.problem->sizes(exact);
    } catch (const Refusal&) {
      return;  // so many have no sum that is exact in any order
    }
    with_values(cell_.problem->make(exact).values, [&] { judge_again(exact, "on exact values", verdicts); });
  }

  /// One place after the other holds all that there is.
  void judge_planted(std::vector<Verdict>& verdicts) {
    const Pair& pair = *cell_.input.pair;
    InputSpec planted = cell_.input;
    planted.axes["values"] = "uniform";  // not those of a file, which may round
    const std::size_t element = pair.value->bytes;
    const HostBuffer value = planted_value(pair, cell_.input.seed), identity = identities(pair, element);
    // The coarsest and the finest way of the cell's launches to share the values out.
    std::set<Index> blocks;
    for (const Case* one : cases_)
      if (!one->footprint.launches.empty() && one->footprint.launches[0].grid.blocks > 1)
        blocks.insert(one->footprint.launches[0].grid.blocks);
    std::vector<Index> shares;
    if (!blocks.empty()) shares = {*blocks.begin(), *blocks.rbegin()};
    const auto put = [&](Index place, const HostBuffer& one) {
      std::memcpy(inputs_.values.data.get() + std::size_t(place) * element, one.data.get(), element);
      buffers_.restore_values(std::size_t(place) * element, element);
    };
    with_values(identities(pair, inputs_.values.bytes), [&] {
      for (const Index place :
           planting_places(Index(inputs_.values.bytes / element), cell_.input.seed, shares)) {
        put(place, value);
        judge_again(
            planted,
            fmt::format("with {} as value {} among identities", pair.value->text(value.data.get()), place),
            verdicts);
        put(place, identity);
      }
    });
  }

  /// Calls `work` while the cell has other values.
  void with_values(HostBuffer values, const std::function<void()>& work) {
    std::swap(inputs_.values, values);
    buffers_.restore();
    work();
    std::swap(inputs_.values, values);
    buffers_.restore();
    events_.idle();
  }

  /// Those that have passed, on the inputs as they are.
  void judge_again(const InputSpec& input, const std::string& what, std::vector<Verdict>& verdicts) {
    ExactAnswer answer(*input.pair, cell_.problem->reference(input, inputs_));
    events_.idle();
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (verdicts[i].outcome != Outcome::passed) continue;
      const Verdict again = judge_plainly(*cases_[i], answer, 0, false);
      if (again.outcome != Outcome::passed)
        verdicts[i] = {again.outcome, what + ": " + again.reason, {}, {}, {}};
    }
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
    if (mode == Mode::graph) capture(timed);
    if (!timed.empty()) sample_cases(mode, timed, before);
    rotation_.reset();
  }

  /// Leaves those that cannot be captured out.
  void capture(std::vector<std::size_t>& timed) {
    std::vector<const Case*> cases;
    for (const std::size_t i : timed) cases.push_back(cases_[i]);
    rotation_.emplace(
        device_, cases, inputs_, buffers_.operands(),
        [this](const Case& one, const Operands& operands) {
          execute_on(one, scratch_.places(one.footprint.scratch), operands);
        },
        [this](const Case& one, const std::string& why) {
          report(one, Mode::graph, Outcome::unsupported, why);
        },
        events_.idle);
    std::erase_if(timed, [this](std::size_t i) { return !wanted(*cases_[i], Mode::graph); });
  }

  void sample_cases(Mode mode, const std::vector<std::size_t>& timed, const std::vector<Verdict>& before) {
    const bool labelled = cell_.input.axes.contains("labels");
    const Session session{meter_,
                          mode,
                          options_.measure,
                          buffers_.input_spans(),
                          buffers_.result_bytes(),
                          timed.size(),
                          labelled ? inputs_.n : 0,
                          labelled ? inputs_.m : 0};
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

  /// The record of a case whose last sample has just been taken, or none where its result is wrong.
  std::optional<Record> timed_record(const Case& one, Mode mode, const Contender& ended,
                                     const Verdict& before) {
    const std::vector<std::pair<std::string, std::function<Verdict()>>> checks{
        {"the last sample: ", [&] { return judge(one, answer_, false, {}); }},
        {"a sample on a poisoned result: ", [&] { return judge_poisoned_sample(one, mode); }},
        {"after timing: ", [&] { return judge_plainly(one, answer_, 1, inputs_are_small()); }}};
    Verdict worst = before;
    for (const auto& [what, check] : checks) {
      const Verdict after = check();
      if (after.outcome != Outcome::passed) {
        report(one, mode, after.outcome, what + after.reason);
        return std::nullopt;
      }
      if (after.check.error > worst.check.error) worst = after;
    }
    Record record = case_record(cell_, one, device_, mode, Outcome::passed);
    add_error(record, worst);
    set_times(record, {in_tenths(ended.samples)}, error_of_a_look(options_.measure));
    record["stopped"] = stop_names[std::size_t(ended.stop)];
    if (mode == Mode::graph) {
      const RotationSize& size = rotation_->size();
      record["graph_copies"] = size.copies;
      record["graph_bytes"] = double(size.copies) * double(buffers_.input_bytes());
      record["graph_beyond_l2"] = size.beyond_l2;
    }
    return record;
  }

  const Cell& cell_;
  Meter& meter_;
  Device& device_;
  const std::vector<const Case*>& cases_;
  Inputs& inputs_;
  ExactAnswer& answer_;
  const CellOptions& options_;
  const CellEvents& events_;
  const Pages pages_;
  CellBuffers buffers_;
  GuardedMemory scratch_;
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
