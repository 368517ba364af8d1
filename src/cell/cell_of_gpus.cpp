#include "src/cell/cell_of_gpus.hpp"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <optional>

#include "src/cell/forks.hpp"
#include "src/cell/judge.hpp"
#include "src/cell/rotation.hpp"
#include "src/cell/share_of_gpu.hpp"
#include "src/device/team.hpp"
#include "src/error.hpp"
#include "src/measure/sampling.hpp"
#include "src/measure/team_stopwatch.hpp"
#include "src/records/derived.hpp"

namespace redbench {
namespace {

// Larger inputs are not made again to see whether a case has written them.
constexpr Index small_inputs = Index(1) << 22;

/// While it lives, the process keeps the memory of the blocks of inputs that are made and dropped: to touch new pages
/// took longer than to make inputs (0.6 s for each GiB on two cores). Then it goes back: processes that wait for their
/// fork's turn would have gigabytes each, and what the CPU's variants work on is first touched by its own core.
class KeptMemory {
 public:
  KeptMemory() { set(0, -1); }
  ~KeptMemory() {
    constexpr int most_maps = 65536,
                  most_kept = 1 << 26;  // glibc's own, the second once large memory was freed
    set(most_maps, most_kept);
    malloc_trim(0);
  }
  KeptMemory(const KeptMemory&) = delete;
  KeptMemory& operator=(const KeptMemory&) = delete;

 private:
  static void set(int maps, int kept) {
    mallopt(M_MMAP_MAX, maps);
    mallopt(M_TRIM_THRESHOLD, kept);
  }
};

class CellOfGpus {
 public:
  CellOfGpus(const Cell& cell, const std::vector<const Case*>& cases, Team& team, const CellOptions& options,
             const CellEvents& events)
      : cell_(cell),
        cases_(cases),
        options_(options),
        events_(events),
        team_(team),
        shares_(std::size_t(team_.size())) {}

  void run() {
    for (const Case* case_ : cases_) footprints_.push_back(footprints_of(*case_));
    on_each([&](int rank) {
      std::size_t scratch = 0;
      for (const auto& of_case : footprints_)
        scratch = std::max(scratch, GuardedMemory::room_for(of_case[std::size_t(rank)].scratch));
      shares_[std::size_t(rank)].emplace(team_.device(rank), part_of(cell_.input.n, rank, team_.size()),
                                         cases_[0]->sizes, cell_.input.n, scratch);
    });
    auto reference = is_first() ? cell_.problem->in_parts(cell_.input) : nullptr;
    each_block(
        [&](int rank, const Inputs& block, Index at) {
          if (team_.is_here(rank)) share(rank).upload(block, at);
          if (is_first()) reference->add(block);
        },
        is_first());
    std::string poisons;
    if (is_first()) {
      answer_.emplace(*cell_.input.pair, std::move(reference));
      for (const int round : {0, 1}) poisons += char(result_poison(*answer_, round));
    }
    poisons_ = team_.exchange(poisons)[0];
    events_.alive();
    std::vector<Judgement> judgements;
    for (std::size_t i = 0; i < cases_.size(); ++i) judgements.push_back(judge(i));
    if (options_.timing) stopwatch_ = make_team_stopwatch(team_);
    std::vector<std::size_t> timed;
    for (std::size_t i = 0; i < cases_.size(); ++i)
      for (const Mode mode : modes_recorded(team_.own_device(), options_)) {
        if (options_.wanted && !options_.wanted(*cases_[i], mode)) continue;
        if (options_.timing && !why_refused_in(mode, *cases_[i], team_.own_device()).empty()) continue;
        if (!stopwatch_ || judgements[i].outcome != Outcome::passed) report(i, mode, judgements[i]);
        else timed.push_back(i);
      }
    if (!timed.empty()) time(timed);
  }

 private:
  using Footprints = std::vector<Footprint>;  // by rank

  Share& share(int rank) { return *shares_[std::size_t(rank)]; }
  /// Whether this process has the first rank: it alone knows the exact answer and makes records.
  bool is_first() const { return team_.is_here(0); }

  /// Calls `work` for each rank that is here, in turn; or for `all`. Throws in each process where it throws in one.
  void on_each(const std::function<void(int rank)>& work, bool all = false) {
    std::string mistake;
    try {
      for (int rank = 0; rank < team_.size(); ++rank) {
        if (team_.is_here(rank)) team_.device(rank).use_here();
        if (all || team_.is_here(rank)) work(rank);
      }
    } catch (const std::exception& error) {
      if (!team_.processes()) throw;
      mistake = error.what();
    }
    team_.agree(mistake);
    team_.own_device().use_here();
  }

  /// Calls `visit` for each block of inputs that is here, or for `all`, in order, with its rank and its first input.
  void each_block(const std::function<void(int rank, const Inputs&, Index first)>& visit, bool all = false) {
    InputSpec spec = cell_.input;
    const auto of_rank = [&](int rank) {
      const Part part = part_of(cell_.input.n, rank, team_.size());
      for (Index at = part.first; at < part.first + part.count; at += inputs_at_once) {
        spec.part = {at, std::min(inputs_at_once, part.first + part.count - at)};
        visit(rank, cell_.problem->make(spec), at);
        events_.alive();
      }
    };
    on_each(of_rank, all);
  }

  /// The first that any process has, where it is the same for all.
  std::string first_said(const std::string& here) const {
    for (std::string& said : team_.exchange(here))
      if (!said.empty()) return std::move(said);
    return {};
  }

  Footprints footprints_of(const Case& case_) {
    Footprints all(std::size_t(team_.size()));
    on_each([&](int rank) {
      const RankScope scope(Rank{rank, team_.size()});
      Operands operands;
      operands.n = part_of(cell_.input.n, rank, team_.size()).count;
      operands.m = case_.sizes.m;
      operands.form = case_.sizes.form;
      CaseQueue queue(team_.device(rank), case_.parameters, all[std::size_t(rank)]);
      case_.instance->run(queue, operands);
    });
    return all;
  }

  /// Runs the case on all GPUs and waits for the end.
  void execute(std::size_t place) {
    team_.run([&](int rank) {
      execute_as(place, rank);
      team_.device(rank).finish();
    });
  }
  void execute_as(std::size_t place, int rank) {
    const Case& case_ = *cases_[place];
    std::vector<void*> scratch = team_.memory[std::size_t(rank)];
    scratch.pop_back();  // the result
    CaseQueue queue(team_.device(rank), case_.parameters, footprints_[place][std::size_t(rank)], scratch);
    case_.instance->run(queue, share(rank).operands());
  }

  unsigned char poison_of_result(int round) const {
    return static_cast<unsigned char>(poisons_[std::size_t(round)]);
  }

  /// Makes the memory of a case's next run: as it is, or with the poison of a round.
  void prepare(std::size_t place, std::optional<int> round) {
    std::optional<unsigned char> of_scratch;
    if (round) of_scratch = scratch_poison(*cell_.input.pair, *round);
    team_.memory.assign(shares_.size(), {});
    team_.flags.assign(shares_.size(), nullptr);
    team_.parts.assign(shares_.size(), {});
    on_each([&](int rank) {
      Share& own = share(rank);
      if (round) own.poison_result(poison_of_result(*round));
      std::vector<void*>& memory = team_.memory[std::size_t(rank)];
      memory = own.scratch_of(footprints_[place][std::size_t(rank)], of_scratch);
      memory.push_back(own.operands().result);
      team_.flags[std::size_t(rank)] = own.flags();
      own.device().finish();
    });
  }

  /// Two runs: what the first leaves in the flags, the second finds.
  Judgement judge(std::size_t place, Judgement judgement = {}) {
    const Case& case_ = *cases_[place];
    try {
      on_each([&](int rank) { share(rank).clear_flags(); });
      for (int round = 0; round < 2 && judgement.outcome == Outcome::passed; ++round) {
        events_.running(case_);
        prepare(place, round);
        execute(place);
        judge_result(place, judgement);
      }
    } catch (const DeviceError& error) {
      judgement = recover(error);
    }
    return judgement;
  }

  /// Throws where a GPU is lost.
  Judgement recover(const DeviceError& error) {
    finish();
    restore();
    return {.outcome = Outcome::failed, .reason = error.what()};
  }
  /// What a case has written outside its result is not the next one's fault.
  void restore() {
    on_each([&](int rank) { share(rank).restore_zones(); });
    each_block([&](int rank, const Inputs& block, Index at) { share(rank).upload(block, at); });
  }

  /// The first rank's, or of parts, where `run` has left any. Throws DeviceError where they are not the whole.
  std::string download_result() {
    const std::size_t bytes = cases_[0]->sizes.result;
    std::string result = parts_here();
    if (team_.processes()) result = fmt::format("{}", fmt::join(team_.exchange(result), ""));
    if (result.empty() && is_first())
      team_.parts[0] = {static_cast<const std::byte*>(share(0).operands().result), bytes};
    else if (!result.empty() && result.size() != bytes)
      throw DeviceError(fmt::format("leaves parts of {} bytes, the result has {}", result.size(), bytes));
    return result.empty() ? parts_here() : result;
  }
  std::string parts_here() {
    std::string parts;
    on_each([&](int rank) {
      const auto& part = team_.parts[std::size_t(rank)];
      const std::size_t before = parts.size();
      parts.resize(before + part.size());
      if (!part.empty()) share(rank).device().download(parts.data() + before, part.data(), part.size());
    });
    return parts;
  }

  void judge_result(std::size_t place, Judgement& judgement) {
    const std::string result = download_result();
    events_.alive();
    const Case& case_ = *cases_[place];
    const double largest = judgement.check.error;
    if (is_first())
      judgement.check = check_result(*case_.input.pair, *answer_, result.data(), case_.footprint.chain);
    judgement.check.error = std::max(judgement.check.error, largest);
    std::string damage;
    on_each([&](int rank) {
      const std::string here = share(rank).damage(footprints_[place][std::size_t(rank)]);
      if (damage.empty() && !here.empty()) damage = fmt::format("on GPU {}: {}", rank, here);
    });
    damage = first_said(damage);
    if (damage.empty() && cell_.input.n <= small_inputs) {
      each_block([&](int rank, const Inputs& block, Index at) {
        if (!share(rank).holds(block, at)) damage = "writes its inputs";
      });
      damage = first_said(damage);
    }
    if (!damage.empty()) restore();
    judgement.reason = first_said(damage.empty() ? judgement.check.what : damage);
    if (!judgement.reason.empty()) judgement.outcome = Outcome::wrong;
  }

  void time(const std::vector<std::size_t>& timed) {
    std::vector<double> empty;
    while (empty.size() < 15) empty.push_back(stopwatch_->sample(false, [](int) {}).ns);
    empty_ = median_of(empty);
    if (!is_first()) return follow();
    std::vector<Series> series;
    std::vector<std::vector<double>> skews(cases_.size());
    for (const std::size_t place : timed)
      series.push_back({.sample =
                            [&, place] {
                              tell(Next::sample, place);
                              const TeamStopwatch::Sample sample = this->sample(place);
                              skews[place].push_back(sample.skew_ns);
                              return sample.ns;
                            },
                        .done =
                            [&, place](Series& ended) {
                              tell(Next::last, place);
                              report_timed(place, ended, skews[place]);
                            },
                        .name = cases_[place]->key(),
                        .of_case = place});
    sample_in_turn(series, options_.measure, cell_.input.seed, [&](Series& ended, const std::string& reason) {
      tell(Next::finish, *ended.of_case);
      finish();  // before its record: a hang is this case's
      report(*ended.of_case, Mode::cold, {.outcome = Outcome::failed, .reason = reason});
    });
    tell(Next::end, 0);
  }

  /// The rounds of samples, and when they end, are the first process's affair: it tells the others what comes next.
  enum class Next : char { sample = 's', last = 'l', finish = 'f', end = 'e' };
  void tell(Next next, std::size_t place) const {
    if (team_.processes()) team_.exchange(fmt::format("{}{}", char(next), place));
  }
  void follow() {
    for (;;) {
      const std::string told = team_.exchange("")[0];
      const std::size_t place = std::stoul(told.substr(1));
      switch (Next(told[0])) {
        case Next::sample:
          try {
            sample(place);
          } catch (const DeviceError&) {  // which the first process throws, too
          }
          break;
        case Next::last:
          report_timed(place, {}, {});
          break;
        case Next::finish:
          finish();
          break;
        case Next::end:
          return;
      }
    }
  }

  void finish() {
    on_each([&](int rank) { team_.device(rank).finish(); });
  }

  /// Then its launches are in its time, which hide the cost of the events.
  bool synchronizes(std::size_t place) const { return cases_[place]->variant->card.synchronizes; }
  double taken_off(std::size_t place) const { return synchronizes(place) ? 0 : empty_.value; }

  TeamStopwatch::Sample sample(std::size_t place) {
    events_.running(*cases_[place]);
    on_each([&](int rank) { share(rank).clear_flags(); });
    prepare(place, std::nullopt);
    TeamStopwatch::Sample sample =
        stopwatch_->sample(synchronizes(place), [&](int rank) { execute_as(place, rank); });
    sample.ns = std::max(sample.ns - taken_off(place), 0.1);
    events_.alive();
    return sample;
  }

  /// The result of one more sample, which does not count, must be right, too.
  void report_timed(std::size_t place, const Series& ended, const std::vector<double>& skews) {
    Judgement judgement;
    try {
      on_each([&](int rank) {
        share(rank).poison_result(poison_of_result(1));
        share(rank).guard_scratch(footprints_[place][std::size_t(rank)]);
      });
      sample(place);
      judge_result(place, judgement);
    } catch (const DeviceError& error) {
      judgement = recover(error);
    }
    if (judgement.outcome == Outcome::passed) judgement = judge(place, std::move(judgement));
    if (judgement.outcome != Outcome::passed) {
      judgement.reason = "after timing: " + judgement.reason;
      return report(place, Mode::cold, judgement);
    }
    report(place, Mode::cold, judgement, [&](Record& record) {
      record["empty_sample_ns"] = empty_.value;
      record["taken_off_ns"] = taken_off(place);
      record["taken_off_error_ns"] =
          taken_off(place) == 0 ? 0 : std::max(empty_.high - empty_.value, empty_.value - empty_.low);
      if (!synchronizes(place)) record["release_skew_ns"] = median_of(skews).value;
      set_times(record, {in_tenths(ended.samples)}, error_of_a_look(options_.measure));
      record["stopped"] = stop_names[std::size_t(ended.stop)];
    });
  }

  void report(std::size_t place, Mode mode, const Judgement& judgement,
              const std::function<void(Record&)>& add_times = {}) {
    if (!is_first()) return;
    const Case& case_ = *cases_[place];
    Record record = case_record(cell_, case_, team_.own_device(), mode, judgement.outcome, judgement.reason);
    if (judgement.outcome == Outcome::passed) {
      record["error"] = judgement.check.error;
      record["error_bound"] = judgement.check.bound;
      if (add_times) add_times(record);
    }
    add_derived(record);
    events_.measured(case_, mode, std::move(record));
  }

  const KeptMemory kept_;  // the first, as the others' memory is freed before
  const Cell& cell_;
  const std::vector<const Case*>& cases_;
  const CellOptions& options_;
  const CellEvents& events_;
  Team& team_;
  std::vector<std::optional<Share>> shares_;  // by rank, of those that are here
  std::vector<Footprints> footprints_;        // by the cases' places
  std::optional<ExactAnswer> answer_;         // in the first process
  std::string poisons_;                       // of results, by round
  std::unique_ptr<TeamStopwatch> stopwatch_;  // null where nothing is timed
  Median empty_;                              // of samples in which nothing is done
};

/// Those that all processes can run, as each knows the free memory of its own GPU alone; the others are refused.
std::vector<const Case*> possible_in_all(const Cell& cell, const std::vector<const Case*>& cases,
                                         const Team& team, const CellOptions& options,
                                         const CellEvents& events) {
  if (!team.processes()) return cases;
  std::vector<bool> here(cell.cases.size());
  for (const Case* case_ : cases) here[case_->number] = true;
  std::string text;
  for (const bool can : here) text += can ? '1' : '0';
  const std::vector<std::string> each = team.exchange(text);
  std::vector<const Case*> possible;
  for (const Case* case_ : cases) {
    const auto lacking =
        std::ranges::find(each, '0', [&](const std::string& of) { return of[case_->number]; });
    if (lacking == each.end()) possible.push_back(case_);
    if (lacking == each.end() || !team.is_here(0)) continue;
    for (const Mode mode : modes_recorded(team.own_device(), options)) {
      if (options.wanted && !options.wanted(*case_, mode)) continue;
      if (!why_refused(*case_, mode, team.own_device(), options).empty()) continue;
      Record record = case_record(cell, *case_, team.own_device(), mode, Outcome::unsupported,
                                  fmt::format("process {} has no room for it", lacking - each.begin()));
      add_derived(record);
      events.measured(*case_, mode, std::move(record));
    }
  }
  return possible;
}

}  // namespace

void run_cell_of_gpus(const Cell& cell, const std::vector<const Case*>& cases, Device& own,
                      const CellOptions& options, const CellEvents& events) {
  if (are_processes_joined()) {
    const ProcessGroup all;
    // Where there are too few all have refused all cases.
    if (const int gpus = gpus_of(cell.input); all.number() >= gpus || all.size() < gpus) return;
  }
  Team team(own, gpus_of(cell.input));
  const std::vector<const Case*> possible = possible_in_all(cell, cases, team, options, events);
  if (!possible.empty()) CellOfGpus(cell, possible, team, options, events).run();
}

}  // namespace redbench
