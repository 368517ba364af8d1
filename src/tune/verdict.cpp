#include "src/tune/verdict.hpp"

#include <cmath>
#include <optional>

#include "src/build_facts.hpp"
#include "src/compare/comparison.hpp"
#include "src/run/run_facts.hpp"

namespace redbench {
namespace {

/// The fastest candidate beside the default, which may have no time, as it is refused or wrong. None where the fastest
/// has none.
std::optional<ComparedCase> compared(const Search& search, const Measured& last) {
  const Record *printed = nullptr, *tuned = nullptr;
  for (const Record* record : last.records_of(search))
    ((*record)["parameters"] == search.left[0] ? printed : tuned) = record;
  if (!tuned) return std::nullopt;
  if (!printed) return ComparedCase{.record = *tuned, .first_ns = nullptr, .second_ns = (*tuned)["time_ns"]};
  return compare_records({last.run, *printed}, {last.run, *tuned}, "printed", "tuned", false);
}

void settle(Search& search, const std::optional<ComparedCase>& outcome, const Judged& judged,
            double threshold) {
  const bool only_tuned_runs = outcome && outcome->first_ns.is_null();
  const bool is_faster = outcome && judged.verdict == Verdict::faster;
  const bool wins = is_faster || only_tuned_runs;
  const bool is_known = !search.left.empty() && search.left[1] == search.known;
  const bool known_lost = search.known_lost || (is_known && (!outcome || judged.verdict == Verdict::slower));
  search.keeps_file = !search.known.is_null() && search.known != search.defaults() && !wins && !known_lost;
  const Json taken = wins ? search.left[1] : search.keeps_file ? search.known : search.defaults();
  taken.get_to(search.point.parameters);
  Json& found = search.point.found;
  found["verdict"] = search.left.empty() ? "the default is fastest"
                     : !outcome          ? "the fastest gave no time again"
                     : only_tuned_runs   ? "the default has no time"
                                         : name_of(judged.verdict);
  if (search.keeps_file && !is_known) found["verdict"] = "what the file has stays";
  // Of the same parameters the file has the better evidence.
  search.keeps_file |= taken == search.known && search.tried < search.known_tried;
  if (!outcome) return;
  found.update({{"fastest", search.left[1]},
                {"printed_ns", outcome->first_ns},
                {"tuned_ns", outcome->second_ns},
                {"forks", last_round.processes}});
  if (!outcome->difference) return;
  found["least_difference_percent"] = threshold;
  found["ratio"] = {std::exp(judged.interval.low), std::exp(outcome->difference->log_ratio),
                    std::exp(judged.interval.high)};
}

}  // namespace

void set_beside_defaults(std::vector<Search>& searches) {
  for (Search& search : searches) {
    const Json defaults = search.defaults();
    if (!search.left.empty() && search.left[0] == defaults && !search.known.is_null())
      search.left[0] = search.known;
    if (search.left.empty() || search.left[0] == defaults) search.left.clear();
    else search.left.insert(search.left.begin(), defaults);
  }
}

void judge_last(std::vector<Search>& searches, const Measured& last, double least_difference_percent,
                const std::string& mode) {
  std::vector<std::optional<ComparedCase>> outcomes;
  std::vector<std::optional<Difference>> differences;
  for (const Search& search : searches) {
    outcomes.push_back(search.left.empty() ? std::nullopt : compared(search, last));
    differences.push_back(outcomes.back() ? outcomes.back()->difference : std::nullopt);
  }
  const std::vector<Judged> judged = judge(differences, least_difference_percent);
  for (std::size_t i = 0; i < searches.size(); ++i) {
    Search& search = searches[i];
    if (!search.untimed.empty()) {
      search.point.found["verdict"] = search.untimed;
      continue;
    }
    search.point.found = {{"candidates", search.tried},
                          {"mode", mode},
                          {"date", utc_now().substr(0, 10)},
                          {"commit", build_commit}};
    settle(search, outcomes[i], judged[i], least_difference_percent);
  }
}

}  // namespace redbench
