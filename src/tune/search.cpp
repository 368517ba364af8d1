#include "src/tune/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <optional>

#include "src/claims/evidence.hpp"
#include "src/error.hpp"
#include "src/interrupt.hpp"
#include "src/json/parse.hpp"
#include "src/json/strict.hpp"
#include "src/records/output_file.hpp"
#include "src/text/sha256.hpp"
#include "src/tune/again.hpp"
#include "src/tune/candidates.hpp"
#include "src/tune/rounds.hpp"
#include "src/tune/verdict.hpp"

namespace redbench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t least_candidates = 8;  // of a variant at a point
constexpr double group_s = 60;
constexpr double least_of_last_s = 0.1;
constexpr double overrun = 1.1;  // of the budget: a round that has begun may take so long
// Measured over planned seconds of a GPU, until a group shows it. On an H200 the first round of Fig. 4.25 took more than
// seven times as long as planned: candidates are checked, too, and many are slow.
constexpr double usual_pace = 8;

/// Points that are searched side by side.
struct Group {
  std::vector<Search> searches;
  double planned_s = 0;  // 0: begun by an earlier command
};

class Tuner {
 public:
  Tuner(const TuneOptions& options, OpenDevices& open, const fs::path& folder,
        const std::vector<TunedPoint>& there)
      : options_(options),
        device_(*open.kernels),
        state_file_(folder / "state.json"),
        rounds_{.devices = open.devices(), .device = options.request.device, .folder = folder} {
    AskedPoints asked = read_points(options, rounds_.devices, folder);
    waiting_ = std::move(asked.searches);
    for (Search& search : waiting_) set_known(search, there);
    rounds_.measure = asked.measure;
    rounds_.seed = asked.seed;
    rounds_.points = waiting_.size();
    rounds_.last_timeout_s = asked.measure["timeout_s"];
    if (options.budget_s > 0) limit_rounds();
  }

  /// All points with their candidates, as many as the budget allows.
  PlannedSearches plan() const {
    Group all = group_of(waiting_.size());
    return {std::move(all.searches), device_.target() == Target::simt ? 0 : pace() * all.planned_s};
  }

  Searches tune(const std::function<void(const std::vector<Search>&)>& found) {
    read_state();
    found(done_);
    search_waiting(found);
    if (waiting_.empty()) {
      waiting_ = thinned(done_, device_.facts().multiprocessors);
      std::erase_if(waiting_,
                    [&](const Search& search) { return state_["again"].contains(identity(search)); });
      is_again_ = true;
      search_waiting(found);
    }
    const bool is_interrupted = InterruptWatch::interrupted();
    if (waiting_.empty() || (is_again_ && !is_interrupted))
      return {done_, {}, state_.value("code", int(exit_fine))};
    if (is_interrupted) return {done_, waiting_, exit_interrupted, "interrupted"};
    return {done_, waiting_, exit_interrupted, left_s() > 0 ? too_short_for_next() : over_budget()};
  }

 private:
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  double elapsed_s() const { return Seconds(Clock::now() - started_).count(); }
  double left_s() const {
    return options_.budget_s > 0 ? options_.budget_s - elapsed_s() : std::numeric_limits<double>::infinity();
  }
  double pace() const { return state_.value("pace", device_.target() == Target::cuda ? usual_pace : 1); }

  /// The last round of a point may take half of the point's budget.
  void limit_rounds() {
    const double cases = 2 * last_round.processes * double(rounds_.points);
    rounds_.last_timeout_s =
        std::min(rounds_.last_timeout_s, std::max(least_of_last_s, options_.budget_s / 2 / cases));
    rounds_.until =
        started_ + std::chrono::duration_cast<Clock::duration>(Seconds(overrun * options_.budget_s));
  }

  /// What is done, and the group that was begun; nothing where the file is not as this program wrote it.
  void read_state() {
    if (!fs::exists(state_file_)) return;
    try {
      const Json file = read_json_file(state_file_, "a search");
      if (part_of(file, "sha256") == sha256(line_of(part_of(file, "state")))) state_ = file["state"];
    } catch (const UsageError&) {
      return;
    }
    std::erase_if(waiting_, [&](Search& search) {
      const Json done = part_of(state_["done"], identity(search).c_str());
      if (done.is_null()) return false;
      done["parameters"].get_to(search.point.parameters);
      search.point.found = done["found"];
      search.untimed = done["untimed"];
      search.tried = search.point.found.value("candidates", std::size_t(0));
      // What the file has by now is that result, or what somebody has put there since.
      search.keeps_file =
          !search.known.is_null() && (done["keeps_file"] == true || search.known != done["known"]);
      done_.push_back(search);
      return true;
    });
  }
  void write_state() const {
    write_file(state_file_, indented({{"state", state_}, {"sha256", sha256(line_of(state_))}}));
  }

  /// Of a point, its kernel, and how it is measured.
  std::string identity(const Search& search) const {
    return sha256(key_of(search.point) + search.variant->code_hash + line_of(rounds_.measure) +
                  std::to_string(rounds_.seed))
        .substr(0, 16);
  }
  Json identities(std::size_t points) const {
    Json all = Json::array();
    for (std::size_t i = 0; i < points; ++i) all.push_back(identity(waiting_[i]));
    return all;
  }

  /// The one that was begun, else a new one. None where the budget is too short for one more.
  std::optional<Group> next_group() {
    if (std::optional<Group> begun = begun_group()) return begun;
    if (InterruptWatch::interrupted() || left_s() <= 0) return std::nullopt;
    Group group = new_group();
    if (measured_pace_ > 0 && measured_pace_ * group.planned_s > left_s()) return std::nullopt;
    Json left = Json::array();
    for (const Search& search : group.searches) left.push_back(search.left);
    state_["group"] = {{"points", identities(group.searches.size())}, {"left", left}, {"rounds", 0}};
    rounds_before_ = 0;
    write_state();
    return group;
  }

  std::optional<Group> begun_group() {
    const Json begun = part_of(state_, "group");
    const std::size_t points = begun.is_null() ? 0 : begun["points"].size();
    if (points == 0 || points > waiting_.size() || begun["points"] != identities(points)) return std::nullopt;
    rounds_before_ = begun["rounds"];
    Group group{{waiting_.begin(), waiting_.begin() + std::ptrdiff_t(points)}};
    for (std::size_t i = 0; i < points; ++i) {
      begun["left"][i].get_to(group.searches[i].left);
      group.searches[i].add_known();
      group.searches[i].tried = group.searches[i].left.size();
    }
    return group;
  }

  /// Points that share their inputs: one where no pace is known, else as many as take about group_s.
  Group new_group() const {
    const auto shares_inputs = [&](const Search& other) {
      return other.variant->problem == waiting_[0].variant->problem && other.input == waiting_[0].input;
    };
    std::size_t points = 1;
    while (state_.contains("pace") && points < waiting_.size() && shares_inputs(waiting_[points])) ++points;
    Group group = group_of(points);
    while (points > 1 && pace() * group.planned_s > std::min(group_s, left_s()))
      group = group_of(points = (points + 1) / 2);
    return group;
  }

  /// With as many candidates as fit into half of the points' share of what is left of the budget; the last round has the
  /// other half.
  Group group_of(std::size_t points) const {
    const double share_s = left_s() * double(points) / double(waiting_.size());
    const RoundCosts costs = plan_rounds(with_candidates(points, least_candidates), rounds_);
    for (std::size_t most = most_candidates;; most /= 2) {
      Group group{with_candidates(points, most)};
      group.planned_s = costs.seconds(group.searches);
      if (most <= least_candidates || pace() * group.planned_s <= share_s / 2) return group;
    }
  }

  std::vector<Search> with_candidates(std::size_t points, std::size_t most) const {
    std::vector<Search> searches(waiting_.begin(), waiting_.begin() + std::ptrdiff_t(points));
    for (Search& search : searches) {
      search.left = candidates(search.variant->card, device_.facts().multiprocessors, most);
      search.add_known();
      search.add_elsewhere(most);
      search.tried = search.left.size();
    }
    return searches;
  }

  void search_waiting(const std::function<void(const std::vector<Search>&)>& found) {
    while (!waiting_.empty() && search_next(found)) {
    }
  }

  /// False where an interrupt or the budget ended it.
  bool search_next(const std::function<void(const std::vector<Search>&)>& found) {
    std::optional<Group> next = next_group();
    if (!next) return false;
    std::vector<Search> bettered;
    if (has_more_than_before(*next)) {
      if (!search_group(*next)) return false;
      bettered = take_all(next->searches);
      finished_ = true;
    }
    end_group(next->searches.size());
    found(bettered);
    return true;
  }

  bool has_more_than_before(const Group& group) const {
    for (std::size_t i = 0; i < group.searches.size(); ++i)
      if (group.searches[i].tried > waiting_[i].tried) return true;
    return false;
  }

  bool search_group(Group& group) {
    std::vector<Search>& searches = group.searches;
    const double begun_s = elapsed_s();
    const std::vector<Round> rounds = rounds_to_fastest(searches);
    const std::size_t first = done_.size() + 1, last = done_.size() + searches.size();
    fmt::print(stderr, "{}: {} candidates in {} rounds\n",
               is_again_      ? fmt::format("{} of the points again", searches.size())
               : last > first ? fmt::format("points {} to {} of {}", first, last, rounds_.points)
                              : fmt::format("point {} of {}", first, rounds_.points),
               candidates_left(searches), rounds.size() + 1);
    std::size_t made = 0;
    for (const Round& round : rounds) {
      const std::optional<Measured> measured = measure_within_budget(round, searches);
      if (!measured) return false;
      keep_faster(searches, *measured);
      state_["group"]["rounds"] = std::max(++made, rounds_before_);
      write_state();
    }
    if (group.planned_s > 0) {
      measured_pace_ = (elapsed_s() - begun_s) / group.planned_s;
      // One that falls is believed by half: the next points may be larger.
      state_["pace"] = std::max(measured_pace_, pace() / 2);
    }
    set_beside_defaults(searches);
    const std::optional<Measured> measured = measure_within_budget(last_round, searches);
    if (measured) judge_last(searches, *measured, least_difference(), rounds_.measure["mode"]);
    return measured.has_value();
  }

  std::optional<Measured> measure_within_budget(const Round& round, std::vector<Search>& searches) {
    if (InterruptWatch::interrupted() || left_s() <= 0) return std::nullopt;
    std::optional<Measured> measured = measure(round, searches, rounds_);
    if (measured && measured->is_wrong) state_["code"] = exit_wrong;
    return measured;
  }

  double least_difference() {
    if (!least_difference_)
      least_difference_ = least_difference_percent(options_.records, device_.facts().name);
    return *least_difference_;
  }

  /// Those that better what is done.
  std::vector<Search> take_all(const std::vector<Search>& searches) {
    std::vector<Search> taken;
    for (const Search& search : searches) {
      if (!take(done_, search)) continue;
      state_["done"][identity(search)] = {{"parameters", search.point.parameters},
                                          {"found", search.point.found},
                                          {"untimed", search.untimed},
                                          {"known", search.known},
                                          {"keeps_file", search.keeps_file}};
      taken.push_back(search);
    }
    return taken;
  }

  void end_group(std::size_t points) {
    if (is_again_)
      for (std::size_t i = 0; i < points; ++i) state_["again"][identity(waiting_[i])] = true;
    waiting_.erase(waiting_.begin(), waiting_.begin() + std::ptrdiff_t(points));
    state_.erase("group");
    write_state();
  }

  std::string too_short_for_next() const {
    return fmt::format("what is left of the budget, {:.1f} s, is too short for the next point", left_s());
  }

  /// A group of which a whole budget gave no round begins anew, with fewer points or candidates where there are fewer.
  std::string over_budget() {
    const Json group = part_of(state_, "group");
    if (finished_ || group.is_null() || group["rounds"] != rounds_before_) return "the budget is over";
    std::size_t tried = 0;
    for (const Json& left : group["left"]) tried += left.size();
    if (rounds_before_ > 0 || tried <= candidates_left(with_candidates(1, least_candidates)))
      return "the budget is over, and too short for a round of these points";
    state_["pace"] = 2 * pace();
    state_.erase("group");
    write_state();
    return "the budget is over without a round of these points, so that the next one has fewer candidates";
  }

  const TuneOptions& options_;
  const Device& device_;
  const std::string state_file_;
  const Clock::time_point started_ = Clock::now();
  RoundOptions rounds_;
  std::vector<Search> waiting_, done_;  // points that are left, and that are not
  /// What the next command goes on with: {done: {identity: outcome}, again: {identity: true}, group: {points, left,
  /// rounds}, pace, code}.
  Json state_ = Json::object();
  std::size_t rounds_before_ = 0;                // of the group, by earlier commands
  bool finished_ = false;                        // this command has finished a group
  double measured_pace_ = 0;                     // of the last group of this command; 0: none
  bool is_again_ = false;                        // each point has a result
  std::optional<double> least_difference_ = {};  // in percent; found once
};

}  // namespace

PlannedSearches plan_searches(const TuneOptions& options, OpenDevices& open, const fs::path& folder,
                              const std::vector<TunedPoint>& there) {
  return Tuner(options, open, folder, there).plan();
}

Searches run_searches(const TuneOptions& options, OpenDevices& open, const fs::path& folder,
                      const std::vector<TunedPoint>& there,
                      const std::function<void(const std::vector<Search>&)>& found) {
  const InterruptWatch watch;
  return Tuner(options, open, folder, there).tune(found);
}

}  // namespace redbench
