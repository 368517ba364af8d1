#include "src/cell/cell.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "src/cell/buffers.hpp"
#include "src/cell/counted.hpp"
#include "src/cell/sampling.hpp"
#include "src/cell/validate.hpp"
#include "src/error.hpp"
#include "src/measure/clocks.hpp"
#include "src/measure/launch_gap.hpp"
#include "src/records/record.hpp"

namespace redbench {
namespace {

// Larger inputs are compared once a cell: to copy them back after every case would take longer than the case.
constexpr std::size_t small_inputs = std::size_t(16) << 20;

/// NVML stays open from cell to cell: it takes long to start.
Clocks& clocks_of(const Device& device) {
  static std::map<std::string, std::unique_ptr<Clocks>> open;
  std::unique_ptr<Clocks>& clocks = open[device.bus_id()];
  if (!clocks) clocks = std::make_unique<Clocks>(device.bus_id());
  return *clocks;
}

/// What came of a case before its time is taken.
struct Verdict {
  Outcome outcome = Outcome::passed;
  std::string reason;
  Check check;
  std::vector<LaunchCounters> counters;  // by launch; empty where nothing was counted
  Json levels;
};

/// The cases of a cell that run on one device, on shared buffers.
class Bench {
 public:
  Bench(const Cell& cell, Device& device, const std::vector<const Case*>& cases, const Inputs& inputs,
        ExactAnswer& answer, const CellOptions& options, const CellEvents& events)
      : cell_(cell),
        device_(device),
        cases_(cases),
        answer_(answer),
        result_poison_(result_poison(answer)),
        options_(options),
        events_(events),
        buffers_(device, inputs, cases[0]->sizes.result),
        scratch_(device, largest_scratch(cases)) {}

  void run() {
    std::vector<Verdict> before;
    for (const Case* one : cases_) before.push_back(judge(*one, 0, inputs_are_small()));
    if (!inputs_are_small()) blame_for_written_inputs(before);

    if (!options_.timing || !device_.stopwatch()) {
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
      return device_.profiler()->count(followed(options_.measure.levels, buffers_.operands(), one), work);
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
      verdict.levels = level_rows(options_.measure.levels, one, verdict.counters);
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
      if (!verdict.levels.is_null()) record["levels"] = verdict.levels;
    }
    emit(one, mode, std::move(record));
  }

  static void add_error(Record& record, const Verdict& verdict) {
    if (verdict.outcome != Outcome::passed) return;
    record["error"] = verdict.check.error;
    record["error_bound"] = verdict.check.bound;
  }

  /// Samples all cases of one mode in turn with the ceilings, and reports each as it ends.
  void time_cases(Mode mode, const std::vector<Verdict>& before) {
    Clocks& clocks = clocks_of(device_);
    std::vector<std::size_t> timed;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      if (!wanted(*cases_[i], mode)) continue;
      if (before[i].outcome == Outcome::passed) timed.push_back(i);
      else report(*cases_[i], mode, before[i].outcome, before[i].reason);
    }
    if (timed.empty()) return;

    Ceilings ceilings(device_, mode, buffers_.operands().values, cases_[0]->sizes.values);
    std::vector<Contender> contenders;
    for (const std::size_t i : timed) {
      const Case& one = *cases_[i];
      Contender contender;
      contender.sample = [this, &one, mode, &clocks] {
        const std::vector<void*> scratch = scratch_.places(one.footprint.scratch);
        events_.running(one);
        const double ns = device_.stopwatch()->sample(mode, !gap_hidden(one), [&] { execute(one, scratch); });
        events_.idle();
        clocks.read();
        return ns;
      };
      contender.done = [&, i, mode](Contender& ended) {
        finish_timed(*cases_[i], mode, ended, before[i], ceilings, contenders, clocks);
      };
      contenders.push_back(std::move(contender));
    }
    ceilings.join(contenders);
    clocks.start();
    empty_ns_ = empty_sample(mode);
    sample_in_turn(contenders, options_.measure, [&](Contender& ended, const std::string& reason) {
      const std::size_t number = std::size_t(&ended - contenders.data());
      if (number >= timed.size()) throw DeviceError("measuring the ceiling: " + reason);
      const Case& one = *cases_[timed[number]];
      const Verdict verdict{Outcome::failed, reason, {}, {}, {}};
      survive_or_leave(one, verdict);
      if (wanted(one, mode)) report(one, mode, verdict.outcome, verdict.reason);
    });
  }

  /// What a sample takes in which nothing is done.
  double empty_sample(Mode mode) {
    std::vector<double> samples;
    for (int i = 0; i < 5; ++i) samples.push_back(device_.stopwatch()->sample(mode, false, [] {}));
    return median_of(samples).value;
  }

  bool gap_hidden(const Case& one) const {
    return device_.target() == Target::cuda && !one.variant->card.synchronizes &&
           one.footprint.launches.size() <= std::size_t(LaunchGap::most_launches);
  }

  void finish_timed(const Case& one, Mode mode, const Contender& ended, const Verdict& before,
                    const Ceilings& ceilings, const std::vector<Contender>& contenders,
                    const Clocks& clocks) {
    const Verdict after = judge(one, 1, inputs_are_small());
    if (after.outcome != Outcome::passed) {
      report(one, mode, after.outcome, "after timing: " + after.reason);
      return;
    }
    Record record = case_record(cell_, one, device_, mode, Outcome::passed);
    add_error(record, before.check.error >= after.check.error ? before : after);
    add_times(record, one, ended);
    record["empty_sample_ns"] = empty_ns_;
    add_ceilings(record, one, ceilings, contenders);
    if (device_.target() == Target::cuda) record["launch_gap_hidden"] = gap_hidden(one);
    record["clocks"] = clocks.summary();
    if (options_.measure.per_launch) add_launch_times(record, one, mode);
    emit(one, mode, std::move(record));
  }

  static void add_times(Record& record, const Case& one, const Contender& ended) {
    const Median time = median_of(ended.samples);
    record["time_ns"] = time.value;
    if (time.covered) {
      record["time_low_ns"] = time.low;
      record["time_high_ns"] = time.high;
      record["noise_percent"] = time.noise_percent();
    }
    record["stopped"] = stop_names[std::size_t(ended.stop)];
    record["bandwidth_gb_per_s"] = (one.sizes.bytes_read + one.sizes.bytes_written) / time.value;
    if (one.input.n > 0) record["ns_per_input"] = time.value / double(one.input.n);
    record["samples_ns"] = ended.samples;
  }

  static void add_ceilings(Record& record, const Case& one, const Ceilings& ceilings,
                           const std::vector<Contender>& contenders) {
    std::array<Ceilings::Rate, 3> rates;
    for (const Traffic traffic : {Traffic::read, Traffic::copy, Traffic::write}) {
      Ceilings::Rate& rate = rates[std::size_t(traffic)];
      rate = ceilings.rate(traffic, contenders);
      if (rate.gb_per_s > 0)
        record[fmt::format("ceiling_{}_gb_per_s", traffic_names[std::size_t(traffic)])] = rate.gb_per_s;
    }
    const Ceilings::Rate& read = rates[std::size_t(Traffic::read)];
    if (!read.how.empty()) record["ceiling_read_by"] = read.how;
    const double floor =
        floor_ns(one.sizes.bytes_read, one.sizes.bytes_written, read, rates[std::size_t(Traffic::write)]);
    if (floor == 0) return;
    const double percent = 100 * floor / record["time_ns"].get<double>();
    record["percent_of_ceiling"] = percent;
    record["above_ceiling"] = percent > 100;
  }

  /// Medians over a few runs of the time of each launch. Left null where a library call hides its launches.
  void add_launch_times(Record& record, const Case& one, Mode mode) {
    constexpr int runs = 9;
    if (!gap_hidden(one) || one.footprint.library) return;
    std::vector<std::vector<double>> times(one.footprint.launches.size());
    const std::vector<void*> scratch = scratch_.places(one.footprint.scratch);
    for (int run = 0; run < runs; ++run) {
      events_.running(one);
      const std::vector<double> launches =
          device_.stopwatch()->sample_launches(mode, [&] { execute(one, scratch); });
      events_.idle();
      for (std::size_t i = 0; i < std::min(launches.size(), times.size()); ++i)
        times[i].push_back(launches[i]);
    }
    for (std::size_t i = 0; i < times.size(); ++i)
      if (!times[i].empty()) record["launches"][i]["time_ns"] = median_of(times[i]).value;
  }

  const Cell& cell_;
  Device& device_;
  const std::vector<const Case*>& cases_;
  ExactAnswer& answer_;
  const unsigned char result_poison_;
  const CellOptions& options_;
  const CellEvents& events_;
  CellBuffers buffers_;
  GuardedMemory scratch_;
  double empty_ns_ = 0;
  std::set<std::pair<const Case*, Mode>> reported_;
};

}  // namespace

void run_cell(const Cell& cell, const Devices& devices, const CellOptions& options,
              const CellEvents& events) {
  std::vector<const Case*> on_kernels, on_host;
  for (const Case& one : cell.cases) {
    const auto wanted = [&](Mode mode) { return !options.wanted || options.wanted(one, mode); };
    if (!one.refusal.empty()) {
      for (const Mode mode : options.measure.modes)
        if (wanted(mode))
          events.finished(
              case_record(cell, one, devices.of(*one.variant), mode, Outcome::unsupported, one.refusal));
    } else if (std::any_of(options.measure.modes.begin(), options.measure.modes.end(), wanted)) {
      (one.variant->on_host() ? on_host : on_kernels).push_back(&one);
    }
  }
  if (on_kernels.empty() && on_host.empty()) return;

  const Inputs inputs = cell.problem->make(cell.input);
  ExactAnswer answer(*cell.input.pair, cell.problem->reference(cell.input, inputs));
  if (!on_kernels.empty()) Bench(cell, devices.kernels, on_kernels, inputs, answer, options, events).run();
  if (!on_host.empty()) Bench(cell, devices.host, on_host, inputs, answer, options, events).run();
}

}  // namespace redbench
