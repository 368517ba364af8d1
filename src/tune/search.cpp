#include "src/tune/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "src/build_facts.hpp"
#include "src/claims/evidence.hpp"
#include "src/config/axes.hpp"
#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/json/strict.hpp"
#include "src/plan/cost.hpp"
#include "src/plan/plan.hpp"
#include "src/records/fields.hpp"
#include "src/records/output_file.hpp"
#include "src/run/run.hpp"
#include "src/run/run_facts.hpp"
#include "src/text/sha256.hpp"
#include "src/tune/candidates.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_candidates = 512;  // of a variant at a point
constexpr std::size_t all_at_once = 32;       // so many are measured as they are, without halving
constexpr Index smaller = 16,
                least_n = 1 << 16;  // halving is done at n / 16, as slow candidates take most of the time
constexpr int samples_of_first = 4, samples_of_last = 15;
constexpr double slow_s = 0.02, most_silent_s = 10;
constexpr int forks = 3;  // processes that measure the last one beside the default
constexpr double group_s = 60;
constexpr double least_of_last_s = 0.1;
constexpr double overrun = 1.1;  // of the budget: a round that has begun may take so long
// Measured over planned seconds of a GPU, until a group shows it. On an H200 the first round of Fig. 4.25 took more than
// seven times as long as planned: candidates are checked, too, and many are slow.
constexpr double usual_pace = 8;

/// All but the launch parameters of what a record is of.
std::string point_key(const Json& variant, const Json& n, const Json& type, const Json& op,
                      const Json& axes) {
  return line_of({variant, n, type, op, axes});
}
/// Of a file all is read.
bool reads_files(const Search& search) {
  return std::ranges::any_of(search.point.axes, [](const Json& value) { return value.is_object(); });
}
Index n_of(const Search& search, bool halving) {
  const Index n = search.point.n;
  return halving && n / smaller >= least_n && !reads_files(search) ? n / smaller : n;
}
std::string key_of(const Search& search, bool halving = false) {
  const TunedPoint& at = search.point;
  return point_key(at.variant, n_of(search, halving), at.type, at.op, at.axes);
}
std::string key_of(const Record& record) {
  return point_key(record["variant"], record["n"], record["type"], record["operator"], record["axes"]);
}

/// The config of the subjects: itself, or one of the variants over 2^26 inputs.
std::string config_of(const TuneOptions& options, const fs::path& folder) {
  if (options.subjects.size() == 1 && options.subjects[0].ends_with(".json")) return options.subjects[0];
  if (options.subjects.empty()) throw UsageError("redbench tune: a config or variants are expected");
  Json experiments = Json::array();
  for (const std::string& name : options.subjects) {
    const Variant* const variant = find_variant(name);
    if (!variant) throw UsageError(name + ": neither a variant nor a config" + nearest_variant(name));
    experiments.push_back(
        {{"problem", variant->problem}, {"variants", {variant->short_name}}, {"axes", {{"n", "2^26"}}}});
  }
  const std::string path = folder / "points.json";
  write_file(path, indented({{"experiments", experiments}}));
  return path;
}

/// A config that shows variants tuned asks for these alone. They are planned as printed, as their points are not tuned yet.
void keep_tuned(std::vector<Experiment>& experiments) {
  const auto is_printed = [](const Experiment& experiment) {
    return std::ranges::find(experiment.parameters, ParametersFrom::tuned) == experiment.parameters.end();
  };
  if (!std::ranges::all_of(experiments, is_printed)) std::erase_if(experiments, is_printed);
  for (Experiment& experiment : experiments) experiment.parameters = {ParametersFrom::printed};
}

/// A run of all candidates that are left.
struct Round {
  std::string name;
  int samples = 0;  // of each; 0: as the config says
  int processes = 1;
  bool halving = false;
};
const Round last_round{.name = "last", .processes = forks};
Round round_of(std::size_t round, std::size_t rounds) {
  const bool is_last = round + 1 == rounds;
  return {.name = fmt::format("round{}", round + 1),
          .samples = is_last ? samples_of_last : samples_of_first + int(round),
          .halving = !is_last};
}
std::size_t half_of(const Search& search) { return std::max(all_at_once, (search.left.size() + 1) / 2); }

/// Points that are searched side by side, and how many candidates of each at most.
struct Group {
  std::size_t points, most;
  double planned_s;
};

class Tuner {
 public:
  Tuner(const TuneOptions& options, OpenDevices& open, fs::path folder)
      : options_(options),
        open_(open),
        folder_(std::move(folder)),
        state_file_((folder_ / "state.json").string()) {}

  /// All points with their candidates, as many as the budget allows.
  PlannedSearches plan() {
    read_points();
    const Group all = group_of(waiting_.size());
    begin(all);
    return {searches_, open_.kernels->target() == Target::simt ? 0 : pace() * all.planned_s};
  }

  /// Group by group; `found` is called after each.
  int tune(Searches& all, const std::function<void()>& found) {
    read_points();
    read_state();
    bool goes_on = true;
    while (goes_on && !waiting_.empty()) {
      goes_on = search_next();
      all.done = done_;
      if (goes_on) found();
    }
    all.done = done_;
    all.left = waiting_;
    if (waiting_.empty()) return code();
    all.is_over_budget = left_s() <= 0 || !state_.contains("group");
    if (all.is_over_budget) shrink_group();
    return exit_interrupted;
  }

 private:
  using Clock = std::chrono::steady_clock;
  double elapsed_s() const { return std::chrono::duration<double>(Clock::now() - started_).count(); }
  double left_s() const {
    return options_.budget_s > 0 ? options_.budget_s - elapsed_s() : std::numeric_limits<double>::infinity();
  }
  double pace() const {
    return state_.value("pace", open_.kernels->target() == Target::cuda ? usual_pace : 1);
  }
  int code() const { return state_.value("code", int(exit_fine)); }

  /// What is done, and the group that was begun; nothing where the file is none of this program's.
  void read_state() {
    if (!fs::exists(state_file_)) return;
    try {
      state_ = read_json_file(state_file_, "a search");
    } catch (const UsageError&) {
      return;
    }
    std::erase_if(waiting_, [&](Search& search) {
      const Json done = part_of(state_["done"], identity(search).c_str());
      if (done.is_null()) return false;
      done["parameters"].get_to(search.point.parameters);
      search.point.found = done["found"];
      search.untimed = done["untimed"];
      done_.push_back(search);
      return true;
    });
  }
  void write_state() const { write_file(state_file_, indented(state_)); }

  /// Of a point, and how it is measured.
  std::string identity(const Search& search) const {
    return sha256(key_of(search) + line_of(measure_) + std::to_string(seed_)).substr(0, 16);
  }
  Json identities(std::size_t points) const {
    Json all = Json::array();
    for (std::size_t i = 0; i < points; ++i) all.push_back(identity(waiting_[i]));
    return all;
  }

  /// The one that was begun, or points that share their inputs: one where no pace is known, else as many as take about
  /// group_s. None where the budget is too short for one more.
  std::optional<Group> next_group() {
    const Json begun = part_of(state_, "group");
    if (const std::size_t points = begun.is_null() ? 0 : begun["points"].size();
        points > 0 && points <= waiting_.size() && begun["points"] == identities(points)) {
      rounds_before_ = begun["rounds"];
      return Group{points, begun["most"], 0};
    }
    if (left_s() <= 0) return std::nullopt;
    const auto shares_inputs = [&](const Search& other) {
      return other.variant->problem == waiting_[0].variant->problem && other.input == waiting_[0].input;
    };
    std::size_t points = 1;
    while (state_.contains("pace") && points < waiting_.size() && shares_inputs(waiting_[points])) ++points;
    Group group = group_of(points);
    while (group.points > 1 && pace() * group.planned_s > std::min(group_s, left_s()))
      group = group_of((group.points + 1) / 2);
    if (finished_ && pace() * group.planned_s > left_s()) return std::nullopt;
    state_["group"] = {{"points", identities(group.points)}, {"most", group.most}, {"rounds", 0}};
    rounds_before_ = 0;
    write_state();
    return group;
  }

  /// With as many candidates as fit into the points' share of what is left of the budget.
  Group group_of(std::size_t points) {
    constexpr std::size_t least = 8;
    const double share_s = left_s() * double(points) / double(waiting_.size());
    for (std::size_t most = most_candidates;; most /= 2) {
      const Group group{points, most, planned_s(points, most)};
      if (most <= least || pace() * group.planned_s <= share_s) return group;
    }
  }

  void begin(const Group& group) {
    searches_.assign(waiting_.begin(), waiting_.begin() + std::ptrdiff_t(group.points));
    for (Search& search : searches_) {
      search.left = candidates(search.variant->card, open_.kernels->facts().multiprocessors, group.most);
      search.tried = search.left.size();
    }
  }

  /// Of all rounds but the last, whichever candidates are faster. How long the last takes noise decides: the pace has it.
  double planned_s(std::size_t points, std::size_t most) {
    begin({points, most, 0});
    double seconds = 0;
    const std::size_t rounds = number_of_rounds();
    for (std::size_t round = 0; round < rounds; ++round) {
      seconds += seconds_of_round(write_config(round_of(round, rounds)));
      for (Search& search : searches_) search.left.resize(std::min(search.left.size(), half_of(search)));
    }
    return seconds;
  }

  /// False where an interrupt or the budget ended it.
  bool search_next() {
    const std::optional<Group> next = next_group();
    if (!next) return false;
    const double begun_s = elapsed_s();
    begin(*next);
    if (!search_group()) return false;
    // One that falls is believed by half: the next points may be larger.
    if (next->planned_s > 0) state_["pace"] = std::max((elapsed_s() - begun_s) / next->planned_s, pace() / 2);
    end_group();
    return true;
  }

  bool search_group() {
    const std::size_t rounds = number_of_rounds(), first = done_.size() + 1,
                      last = done_.size() + searches_.size();
    fmt::print(stderr, "{} of {}: {} candidates in {} rounds\n",
               last > first ? fmt::format("points {} to {}", first, last) : fmt::format("point {}", first),
               done_.size() + waiting_.size(), candidates_left(), rounds + 1);
    for (std::size_t round = 0; round < rounds; ++round) {
      if (!measure(round_of(round, rounds))) return false;
      keep_faster(round + 1 == rounds);
      made_round(round + 1);
    }
    add_defaults();
    if (!measure(last_round)) return false;
    judge_last();
    return true;
  }
  void made_round(std::size_t rounds) {
    Json& made = state_["group"]["rounds"];
    made = std::max(made.get<std::size_t>(), rounds);
    write_state();
  }

  void end_group() {
    for (const Search& search : searches_) {
      state_["done"][identity(search)] = {{"parameters", search.point.parameters},
                                          {"found", search.point.found},
                                          {"untimed", search.untimed}};
      done_.push_back(search);
    }
    waiting_.erase(waiting_.begin(), waiting_.begin() + std::ptrdiff_t(searches_.size()));
    state_.erase("group");
    finished_ = true;
    write_state();
  }

  /// A group of which a whole budget gave no round begins anew, with fewer points or candidates.
  void shrink_group() {
    const Json group = part_of(state_, "group");
    if (finished_ || group.is_null() || group["rounds"] != rounds_before_) return;
    fmt::print(stderr,
               "no round of these points is done within the budget: the next one has fewer candidates\n");
    state_["pace"] = 2 * pace();
    state_.erase("group");
    write_state();
  }

  void read_points() {
    Config config = load_config(config_of(options_, folder_), open_.kernels->target(),
                                options_.request.overrides, record_columns());
    keep_tuned(config.experiments);
    seed_ = config.seed;
    for (const char* key : {"max_noise", "timeout_s", "hang_s"})
      measure_[key] = config.resolved["measure"][key];
    measure_["mode"] = config.resolved["measure"]["mode"][0];
    std::set<std::string> known;
    for (const Cell& cell : make_plan(config, open_.devices()).cells)
      for (const Case& case_ : cell.cases) {
        const bool is_here = &open_.devices().of(*case_.variant) == open_.kernels.get();
        if (!is_here || parameters_of(case_.variant->card).empty() ||
            !case_.variant->instance(open_.kernels->target(), case_.input.type, case_.input.op))
          continue;
        Search search = search_of(case_);
        if (known.insert(key_of(search)).second) waiting_.push_back(std::move(search));
      }
    refuse_parameter_axes();
    if (waiting_.empty())
      throw UsageError("redbench tune: no variant with launch parameters runs on " + open_.kernels->name());
  }

  /// A value given for a launch parameter would be lost among the candidates.
  void refuse_parameter_axes() const {
    for (const std::string& axis : options_.request.overrides.axes)
      for (const Search& search : waiting_)
        if (find_parameter(search.variant->card, axis.substr(0, axis.find('='))))
          throw UsageError(fmt::format("-a {}: a launch parameter of {}, whose values the search chooses",
                                       axis, search.variant->name));
  }

  static Search search_of(const Case& case_) {
    Search search{case_.variant, point_of(*case_.variant, case_.input, case_.sizes), {}, {}};
    search.input = {{"n", case_.input.n}, {"type", search.point.type}, {"operator", search.point.op}};
    search.input.update(search.point.axes);
    return search;
  }

  std::size_t candidates_left() const {
    std::size_t count = 0;
    for (const Search& search : searches_) count += search.left.size();
    return count;
  }

  std::size_t number_of_rounds() const {
    std::size_t rounds = 1;
    for (const Search& search : searches_)
      for (std::size_t left = search.left.size(), round = 1; left > all_at_once; left = (left + 1) / 2)
        rounds = std::max(rounds, ++round);
    return rounds;
  }

  /// The config of a run of all that is left. Its name ends with its contents' hash: what another config or budget asked
  /// for is not resumed.
  std::string write_config(const Round& round) const {
    Json measure = measure_;
    measure["forks"] = round.processes;
    if (!round.samples && options_.budget_s > 0)
      measure["timeout_s"] = std::min(measure_["timeout_s"].get<double>(), seconds_of_last());
    if (round.samples) measure.update({{"min_samples", round.samples}, {"max_samples", round.samples}});
    // One sample of what takes so long tells it from what is faster.
    if (round.halving) measure["timeout_s"] = slow_s;
    measure["hang_s"] = std::min(measure_["hang_s"].get<double>(), most_silent_s);
    Json experiments = Json::array();
    for (const Search& search : searches_)
      for (const Json& parameters : search.left) {
        experiments.push_back(
            {{"problem", search.variant->problem}, {"variants", {search.variant->short_name}}});
        experiments.back()["axes"] = search.input;
        experiments.back()["axes"]["n"] = n_of(search, round.halving);
        experiments.back()["axes"].update(parameters);
      }
    const std::string text = indented({{"experiments", experiments}, {"measure", measure}, {"seed", seed_}});
    const std::string path = folder_ / fmt::format("{}-{:.16}.json", round.name, sha256(text));
    write_file(path, text);
    return path;
  }

  /// Of each case in each process: half of what the budget has for a point.
  double seconds_of_last() const {
    const std::size_t points = done_.size() + waiting_.size();
    return std::max(least_of_last_s, options_.budget_s / double(2 * 2 * points * std::size_t(forks)));
  }

  double seconds_of_round(const std::string& config_path) const {
    const Config config = load_config(config_path, open_.kernels->target(), {}, record_columns());
    return seconds_of(make_plan(config, open_.devices()), config.measure, open_.devices());
  }

  /// The first refusal where all cases are refused, which a run does not take.
  std::string why_none_runs(const std::string& config_path) const {
    const Config config = load_config(config_path, open_.kernels->target(), {}, record_columns());
    std::string first;
    for (const Cell& cell : make_plan(config, open_.devices()).cells)
      for (const Case& case_ : cell.cases)
        if (case_.refusal.empty()) return {};
        else if (first.empty()) first = case_.refusal;
    return first;
  }

  /// A run of all that is left; it is resumed where it is there. False where an interrupt or the budget ended it.
  bool measure(const Round& round) {
    if (left_s() <= 0) return false;
    times_.clear();
    if (candidates_left() == 0) return true;
    RunOptions run_options;
    run_options.request.config = write_config(round);
    if (const bool are_more = done_.size() + waiting_.size() > searches_.size(); are_more)
      if (const std::string refusal = why_none_runs(run_options.request.config); !refusal.empty()) {
        for (Search& search : searches_) search.untimed = "unsupported: " + refusal;
        return true;
      }
    const fs::path runs = fs::path(run_options.request.config).replace_extension();
    run_options.request.device = options_.request.device;
    run_options.to = {.folder = runs, .resume = fs::exists(runs / "run.json")};
    run_options.is_part = true;
    if (options_.budget_s > 0)
      run_options.until = started_ + std::chrono::duration_cast<Clock::duration>(
                                         std::chrono::duration<double>(overrun * options_.budget_s));
    const int code = resume_or_begin(run_options);
    if (code == exit_interrupted) return false;
    if (code == exit_wrong) state_["code"] = code;
    run_ = read_stored_run(runs);
    for (const Record& record : run_.records)
      if (record["time_ns"].is_number()) times_[key_of(record)].push_back(&record);
    for (Search& search : searches_)
      if (const std::string key = key_of(search, round.halving); !search.left.empty() && times_[key].empty())
        search.untimed = why_untimed(key);
    return true;
  }

  /// An interrupted round that cannot go on, as it is of another board or number of threads, begins anew.
  static int resume_or_begin(RunOptions options) {
    if (options.to.resume) try {
        return run(options);
      } catch (const UsageError& error) {
        fmt::print(stderr, "{}\nthis round begins anew\n", error.what());
        options.to.resume = false;
        fs::remove_all(options.to.folder);
      }
    return run(options);
  }

  std::string why_untimed(const std::string& key) const {
    for (const Record& record : run_.records)
      if (key_of(record) == key && record["reason"].is_string())
        return fmt::format("{}: {}", record["outcome"].get<std::string>(),
                           record["reason"].get<std::string>());
    return "no candidate has a time";
  }

  /// The faster half of each point's candidates goes on; of the last round, the fastest.
  void keep_faster(bool is_last) {
    for (Search& search : searches_) {
      std::vector<const Record*>& measured = times_[key_of(search, !is_last)];
      std::ranges::stable_sort(measured, {},
                               [](const Record* record) { return (*record)["time_ns"].get<double>(); });
      measured.resize(std::min(measured.size(), is_last ? 1 : half_of(search)));
      search.left.clear();
      for (const Record* record : measured) search.left.push_back((*record)["parameters"]);
    }
  }

  /// A default that is fastest has no rival.
  void add_defaults() {
    for (Search& search : searches_)
      if (search.left.empty() || search.left[0] == search.defaults()) search.left.clear();
      else search.left.insert(search.left.begin(), search.defaults());
  }

  void judge_last() {
    std::vector<std::optional<Difference>> differences;
    for (Search& search : searches_) {
      if (!search.left.empty()) search.outcome = compared(search);
      differences.push_back(search.outcome ? search.outcome->difference : std::nullopt);
    }
    if (!threshold_) threshold_ = least_difference_percent(options_.records, open_.kernels->facts().name);
    const double threshold = *threshold_;
    const std::vector<Judged> judged = judge(differences, threshold);
    for (std::size_t i = 0; i < searches_.size(); ++i) settle(searches_[i], judged[i], threshold);
  }

  /// The last one beside the default; a default that cannot run has no time.
  std::optional<ComparedCase> compared(const Search& search) {
    const Record *printed = nullptr, *tuned = nullptr;
    for (const Record* record : times_[key_of(search)])
      ((*record)["parameters"] == search.left[0] ? printed : tuned) = record;
    if (!tuned) return std::nullopt;
    if (!printed)
      return ComparedCase{.record = *tuned, .first_ns = nullptr, .second_ns = (*tuned)["time_ns"]};
    return compare_records({run_, *printed}, {run_, *tuned}, "printed", "tuned", false);
  }

  void settle(Search& search, const Judged& judged, double threshold) const {
    if (!search.untimed.empty()) {
      search.point.found["verdict"] = search.untimed;
      return;
    }
    const bool only_tuned_runs = search.outcome && search.outcome->first_ns.is_null();
    const bool is_faster = search.outcome && judged.verdict == Verdict::faster;
    const Json taken = is_faster || only_tuned_runs ? search.left[1] : search.defaults();
    taken.get_to(search.point.parameters);
    Json& found = search.point.found;
    found = {{"candidates", search.tried},
             {"mode", measure_["mode"]},
             {"date", utc_now().substr(0, 10)},
             {"commit", build_commit}};
    found["verdict"] = search.left.empty() ? "the default is fastest"
                       : !search.outcome   ? "the fastest gave no time again"
                       : only_tuned_runs   ? "the default cannot run"
                                           : name_of(judged.verdict);
    if (!search.outcome) return;
    found.update({{"fastest", search.left[1]},
                  {"printed_ns", search.outcome->first_ns},
                  {"tuned_ns", search.outcome->second_ns},
                  {"forks", forks}});
    if (!search.outcome->difference) return;
    found["least_difference_percent"] = threshold;
    found["ratio"] = {std::exp(judged.interval.low), std::exp(search.outcome->difference->log_ratio),
                      std::exp(judged.interval.high)};
  }

  const TuneOptions& options_;
  OpenDevices& open_;
  const fs::path folder_;
  const std::string state_file_;
  const Clock::time_point started_ = Clock::now();
  Json measure_ = Json::object();  // of the config: how a case is measured, in its first mode
  std::uint64_t seed_ = 1;
  std::vector<Search> waiting_, done_;  // points that are left, and that are not
  std::vector<Search> searches_;        // copies of the first that are left, which are searched now
  /// What the next command goes on with: {done: {identity: outcome}, group: {points, most, rounds}, pace, code}.
  Json state_ = Json::object();
  std::size_t rounds_before_ = 0;  // of the group, by earlier commands
  bool finished_ = false;          // this command has finished a group
  std::optional<double> threshold_ = {};
  StoredRun run_{};  // the last round's
  std::map<std::string, std::vector<const Record*>> times_;
};

}  // namespace

Json Search::defaults() const {
  Json values = Json::object();
  for (const Parameter& parameter : parameters_of(variant->card))
    values[std::string(parameter.name)] = parameter.fallback;
  return values;
}

PlannedSearches plan_searches(const TuneOptions& options, OpenDevices& open, const fs::path& folder) {
  return Tuner(options, open, folder).plan();
}

int run_searches(const TuneOptions& options, OpenDevices& open, const fs::path& folder, Searches& all,
                 const std::function<void()>& found) {
  return Tuner(options, open, folder).tune(all, found);
}

}  // namespace redbench
