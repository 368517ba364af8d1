#include "src/tune/rounds.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "src/error.hpp"
#include "src/json/parse.hpp"
#include "src/plan/cost.hpp"
#include "src/plan/plan.hpp"
#include "src/records/columns.hpp"
#include "src/records/output_file.hpp"
#include "src/run/run.hpp"
#include "src/text/sha256.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t all_at_once = 32;           // so many are measured as they are, without halving
constexpr Index smaller = 16, least_n = 1 << 16;  // halving is done at n / 16, where that is not less
constexpr int samples_of_first = 4, samples_of_deciding = 15;
constexpr double slow_s = 0.02, most_silent_s = 10;

std::size_t half_of(std::size_t candidates) {
  return std::min(candidates, std::max(all_at_once, (candidates + 1) / 2));
}

/// Of a file all is read.
bool reads_files(const Search& search) {
  return std::ranges::any_of(search.point.axes, [](const Json& value) { return value.is_object(); });
}
Index n_of(const Search& search, const Round& round) {
  const Index n = search.point.n;
  return round.halving && n / smaller >= least_n && !reads_files(search) ? n / smaller : n;
}

/// All but the launch parameters of what a record is of.
std::string key_of(const Search& search, const Round& round) {
  const TunedPoint& at = search.point;
  return line_of({at.variant, n_of(search, round), at.type, at.op, at.axes});
}
std::string key_of(const Record& record) {
  return line_of({record["variant"], record["n"], record["type"], record["operator"], record["axes"]});
}

Json measure_of(const Round& round, const RoundOptions& options) {
  Json measure = options.measure;
  measure["forks"] = round.processes;
  if (round.samples) measure.update({{"min_samples", round.samples}, {"max_samples", round.samples}});
  else measure["timeout_s"] = options.last_timeout_s;
  // One sample of what takes so long tells it from what is faster.
  if (round.halving) measure["timeout_s"] = slow_s;
  measure["hang_s"] = std::min(measure["hang_s"].get<double>(), most_silent_s);
  return measure;
}

/// The config of a run of all that is left.
Json config_of(const Round& round, const std::vector<Search>& searches, const RoundOptions& options) {
  Json experiments = Json::array();
  for (const Search& search : searches)
    for (const Json& parameters : search.left) {
      experiments.push_back(
          {{"problem", search.variant->problem}, {"variants", {search.variant->short_name}}});
      Json& axes = experiments.back()["axes"] = search.input;
      axes["n"] = n_of(search, round);
      axes.update(parameters);
    }
  return {{"experiments", experiments}, {"measure", measure_of(round, options)}, {"seed", options.seed}};
}

/// Its name is its contents' hash: what another config or budget asked for is not resumed.
fs::path write_config(const Json& config, const fs::path& folder) {
  const std::string text = indented(config);
  const fs::path path = folder / (sha256(text).substr(0, 16) + ".json");
  write_file(path, text);
  return path;
}

Config read_config(const Json& config, const RoundOptions& options) {
  return parse_config(config, options.folder / "round.json", options.devices.kernels.target(), {},
                      record_columns());
}

/// The first refusal and its outcome where all cases are refused.
std::string why_none_runs(const Json& config, const RoundOptions& options) {
  std::string first;
  for (const Cell& cell : make_plan(read_config(config, options), options.devices).cells)
    for (const Case& case_ : cell.cases)
      if (case_.refusal.empty()) return {};
      else if (first.empty())
        first = fmt::format("{}: {}", name_of(outcome_of_refusal(case_)), case_.refusal);
  return first;
}

/// The same plan with each case twice tells what candidates cost from what inputs cost, which they share.
RoundCosts::Cost cost_of(const Round& round, const std::vector<Search>& searches,
                         const RoundOptions& options) {
  const Config config = read_config(config_of(round, searches, options), options);
  Plan plan = make_plan(config, options.devices);
  const double once_s = seconds_of(plan, config.measure, options.devices);
  for (Cell& cell : plan.cells) {
    const std::vector<Case> cases = cell.cases;
    cell.cases.insert(cell.cases.end(), cases.begin(), cases.end());
  }
  const double candidates_s = seconds_of(plan, config.measure, options.devices) - once_s;
  return {once_s - candidates_s, candidates_s / double(candidates_left(searches))};
}

/// An interrupted round that cannot go on, as it is of another board or number of threads, begins anew.
int resume_or_begin(RunOptions options) {
  if (options.to.resume) try {
      return run(options);
    } catch (const UsageError& error) {
      fmt::print(stderr, "{}\nthis round begins anew\n", error.what());
      options.to.resume = false;
      fs::remove_all(options.to.folder);
    }
  return run(options);
}

/// Whether a search goes on though no candidate has a time: what the file has is judged at n.
bool goes_on(const Search& search, const Round& round) { return round.halving && !search.known.is_null(); }

std::string why_untimed(const std::string& key, const std::vector<Record>& records) {
  for (const Record& record : records)
    if (key_of(record) == key && record["reason"].is_string())
      return fmt::format("{}: {}", record["outcome"].get<std::string>(), record["reason"].get<std::string>());
  return "no candidate has a time";
}

Measured read_measured(const Round& round, const fs::path& runs) {
  Measured measured{.round = round, .run = read_stored_run(runs)};
  const std::vector<Record>& records = measured.run.records;
  for (std::size_t i = 0; i < records.size(); ++i)
    if (records[i]["time_ns"].is_number()) measured.timed[key_of(records[i])].push_back(i);
  return measured;
}

}  // namespace

std::vector<Round> rounds_to_fastest(const std::vector<Search>& searches) {
  std::size_t most = 0;
  for (const Search& search : searches) most = std::max(most, search.left.size());
  std::vector<Round> rounds;
  for (; most > all_at_once; most = half_of(most))
    rounds.push_back({.samples = samples_of_first + int(rounds.size()), .halving = true});
  rounds.push_back({.samples = samples_of_deciding});
  return rounds;
}

std::size_t candidates_left(const std::vector<Search>& searches) {
  std::size_t count = 0;
  for (const Search& search : searches) count += search.left.size();
  return count;
}

double RoundCosts::seconds(const std::vector<Search>& searches) const {
  std::vector<std::size_t> left;
  for (const Search& search : searches) left.push_back(search.left.size());
  double seconds = 0;
  for (const Round& round : rounds_to_fastest(searches)) {
    const Cost& cost = round.halving ? halving : deciding;
    seconds += cost.inputs_s;
    for (std::size_t& candidates : left) {
      seconds += cost.candidate_s * double(candidates);
      candidates = half_of(candidates);
    }
  }
  return seconds;
}

RoundCosts plan_rounds(const std::vector<Search>& searches, const RoundOptions& options) {
  return {cost_of({.samples = samples_of_first, .halving = true}, searches, options),
          cost_of({.samples = samples_of_deciding}, searches, options)};
}

std::vector<const Record*> Measured::records_of(const Search& search) const {
  std::vector<const Record*> records;
  if (const auto found = timed.find(key_of(search, round)); found != timed.end())
    for (const std::size_t place : found->second) records.push_back(&run.records[place]);
  return records;
}

std::optional<Measured> measure(const Round& round, std::vector<Search>& searches,
                                const RoundOptions& options) {
  if (candidates_left(searches) == 0) return Measured{round};
  const Json config = config_of(round, searches, options);
  if (const std::string refusal = why_none_runs(config, options); !refusal.empty()) {
    const bool one_goes_on =
        std::ranges::any_of(searches, [&](const Search& s) { return goes_on(s, round); });
    if (searches.size() == options.points && !one_goes_on) throw UsageError("nothing can run: " + refusal);
    for (Search& search : searches)
      if (!goes_on(search, round)) search.untimed = refusal;
    return Measured{round};
  }
  const fs::path path = write_config(config, options.folder);
  const fs::path runs = fs::path(path).replace_extension();
  RunOptions run_options;
  run_options.request.config = path;
  run_options.request.device = options.device;
  run_options.to = {.folder = runs, .resume = fs::exists(runs / "run.json")};
  run_options.is_part = true;
  run_options.until = options.until;
  const int code = resume_or_begin(run_options);
  if (code == exit_interrupted) return std::nullopt;
  Measured measured = read_measured(round, runs);
  measured.is_wrong = code == exit_wrong;
  for (Search& search : searches)
    if (!search.left.empty() && measured.records_of(search).empty() && !goes_on(search, round))
      search.untimed = why_untimed(key_of(search, round), measured.run.records);
  return measured;
}

void keep_faster(std::vector<Search>& searches, const Measured& measured) {
  for (Search& search : searches) {
    std::vector<const Record*> records = measured.records_of(search);
    std::ranges::stable_sort(records, {},
                             [](const Record* record) { return (*record)["time_ns"].get<double>(); });
    const auto is_known = [&](const Record* record) { return (*record)["parameters"] == search.known; };
    search.known_lost = !measured.round.halving && std::ranges::none_of(records, is_known);
    records.resize(std::min(records.size(), measured.round.halving ? half_of(search.left.size()) : 1));
    search.left.clear();
    for (const Record* record : records) search.left.push_back((*record)["parameters"]);
    if (measured.round.halving) search.add_known();
  }
}

}  // namespace redbench
