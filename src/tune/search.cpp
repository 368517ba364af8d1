#include "src/tune/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "src/build_facts.hpp"
#include "src/claims/evidence.hpp"
#include "src/config/axes.hpp"
#include "src/error.hpp"
#include "src/json/parse.hpp"
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
constexpr double all_rounds = 2;  // over the first, as each halves the candidates
constexpr int forks = 3;          // processes that measure the last one beside the default

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
const Round first_round{.name = "round1", .samples = samples_of_first, .halving = true};

class Tuner {
 public:
  Tuner(const TuneOptions& options, OpenDevices& open, fs::path folder)
      : options_(options), open_(open), folder_(std::move(folder)) {}

  /// The points with their candidates, as many as the budget allows.
  void find_points() {
    read_points();
    constexpr std::size_t least = 8;
    for (std::size_t most = most_candidates;; most /= 2) {
      for (Search& search : searches_) {
        search.left = candidates(search.variant->card, open_.kernels->facts().multiprocessors, most);
        search.tried = search.left.size();
      }
      if (options_.budget_s <= 0 || most <= least ||
          all_rounds * seconds_of_round(write_config(first_round)) <= options_.budget_s)
        return;
    }
  }

  /// Of the rounds but the last: nobody knows how noisy that is.
  double seconds() const {
    const double first = seconds_of_round(write_config(first_round));
    return first * (number_of_rounds() > 1 ? all_rounds : 1);
  }

  int tune() {
    find_points();
    const std::size_t rounds = number_of_rounds();
    for (std::size_t round = 0; round < rounds; ++round) {
      fmt::print(stderr, "round {} of {}: {} candidates at {} points\n", round + 1, rounds + 1,
                 candidates_left(), searches_.size());
      const bool is_last = round + 1 == rounds;
      if (!measure({.name = fmt::format("round{}", round + 1),
                    .samples = is_last ? samples_of_last : samples_of_first + int(round),
                    .halving = !is_last}))
        return exit_interrupted;
      keep_faster(is_last);
    }
    fmt::print(stderr, "round {} of {}: the fastest beside the defaults\n", rounds + 1, rounds + 1);
    add_defaults();
    if (candidates_left() > 0 && !measure({.name = "last", .processes = forks})) return exit_interrupted;
    judge_last();
    return code_;
  }
  const std::vector<Search>& searches() const { return searches_; }

 private:
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
        if (known.insert(key_of(search)).second) searches_.push_back(std::move(search));
      }
    refuse_parameter_axes();
    if (searches_.empty())
      throw UsageError("redbench tune: no variant with launch parameters runs on " + open_.kernels->name());
  }

  /// A value given for a launch parameter would be lost among the candidates.
  void refuse_parameter_axes() const {
    for (const std::string& axis : options_.request.overrides.axes)
      for (const Search& search : searches_)
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
      measure["timeout_s"] = std::min(measure_["timeout_s"].get<double>(), seconds_of_last(round.processes));
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

  /// Of each case in each process.
  double seconds_of_last(int processes) const {
    constexpr double least = 0.1;
    return std::max(least, options_.budget_s / double(candidates_left() * std::size_t(processes)));
  }

  double seconds_of_round(const std::string& config_path) const {
    const Config config = load_config(config_path, open_.kernels->target(), {}, record_columns());
    return seconds_of(make_plan(config, open_.devices()), config.measure, open_.devices());
  }

  /// A run of all that is left; it is resumed where it is there. False where an interrupt ended it.
  bool measure(const Round& round) {
    RunOptions run_options;
    run_options.request.config = write_config(round);
    const fs::path runs = fs::path(run_options.request.config).replace_extension();
    run_options.request.device = options_.request.device;
    run_options.to = {.folder = runs, .resume = fs::exists(runs / "run.json")};
    run_options.is_part = true;
    const int code = resume_or_begin(run_options);
    if (code == exit_interrupted) return false;
    code_ = std::max(code_, code == exit_wrong ? code : exit_fine);
    run_ = read_stored_run(runs);
    times_.clear();
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
      const std::size_t half = std::max(all_at_once, (search.left.size() + 1) / 2);
      measured.resize(std::min(measured.size(), is_last ? 1 : half));
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
    const double threshold = least_difference_percent(options_.records, open_.kernels->facts().name);
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
  Json measure_ = Json::object();  // of the config: how a case is measured, in its first mode
  std::uint64_t seed_ = 1;
  std::vector<Search> searches_;
  StoredRun run_{};  // the last round's
  std::map<std::string, std::vector<const Record*>> times_;
  int code_ = exit_fine;
};

}  // namespace

Json Search::defaults() const {
  Json values = Json::object();
  for (const Parameter& parameter : parameters_of(variant->card))
    values[std::string(parameter.name)] = parameter.fallback;
  return values;
}

PlannedSearches plan_searches(const TuneOptions& options, OpenDevices& open, const fs::path& folder) {
  Tuner tuner(options, open, folder);
  tuner.find_points();
  return {tuner.searches(), open.kernels->target() == Target::simt ? 0 : tuner.seconds()};
}

int run_searches(const TuneOptions& options, OpenDevices& open, const fs::path& folder,
                 std::vector<Search>& done) {
  Tuner tuner(options, open, folder);
  const int code = tuner.tune();
  done = tuner.searches();
  return code;
}

}  // namespace redbench
