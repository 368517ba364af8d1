#include "src/claims/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "src/claims/bounds.hpp"
#include "src/claims/cases.hpp"
#include "src/claims/columns.hpp"
#include "src/compare/comparison.hpp"
#include "src/config/config.hpp"
#include "src/json/parse.hpp"
#include "src/tables/numbers.hpp"

namespace redbench {
namespace {

std::string at_case(const std::string& words, const ClaimCase& case_) {
  return case_.text.empty() ? words : words + " at " + case_.text;
}

/// A quantity with the interval that follows from that of the time.
Measured measured_of(const Record& record, const std::string& quantity) {
  const Follows follows = follows_time(quantity);
  Measured measured{*number_of(record, quantity), {}, follows == Follows::exact};
  const Json time = part_of(record, "time_ns"), low = part_of(record, "time_low_ns"),
             high = part_of(record, "time_high_ns");
  if (measured.is_exact || !time.is_number() || !low.is_number() || !high.is_number()) return measured;
  const double down = low.get<double>() / time.get<double>(), up = high.get<double>() / time.get<double>();
  measured.interval = follows == Follows::time ? Interval{measured.value * down, measured.value * up}
                                               : Interval{measured.value / up, measured.value / down};
  return measured;
}

void set_number(ClaimPart& part, const Measured& measured) {
  part.value = measured.value;
  if (!measured.interval) return;
  if (std::isfinite(measured.interval->low)) part.low = measured.interval->low;
  if (std::isfinite(measured.interval->high)) part.high = measured.interval->high;
}

/// The parts of one test, in the order of its cases.
struct TestAnswer {
  std::vector<ClaimPart> parts;
  std::vector<std::string> missing;
};

constexpr const char* overlap = "the interval is not beyond the bound by the least difference that counts";

class Tester {
 public:
  Tester(const ClaimTest& test, const Evidence& evidence) : test_(test), evidence_(evidence) {}

  TestAnswer answer() {
    const ClaimCases found = cases_of(test_, evidence_);
    answer_.missing = found.missing;
    for (const ClaimCase& case_ : found.cases) {
      for (std::size_t i = 0; i < test_.of.size(); ++i) {
        const Selected of{test_.of[i], case_.records[i]};
        if (test_.kind == ClaimKind::ratio) add_ratio(case_, of, {*test_.to, case_.records.back()});
        else if (test_.kind == ClaimKind::value) add_value(case_, of);
        else if (test_.kind != ClaimKind::ordering) add_along(case_, of);
        else if (i > 0) add_ratio(case_, of, {test_.of[i - 1], case_.records[i - 1]});
      }
    }
    judge_pairs();
    if (test_.over != Over::each) sum_up();
    for (const std::string& sentence : found.undecided) add_undecided("", sentence);
    for (ClaimPart& part : answer_.parts) finish(part);
    return std::move(answer_);
  }

 private:
  struct Selected {
    const Selection& selection;
    const RecordsFound& records;
  };

  Bounds bounds() const {
    if (test_.kind == ClaimKind::ordering) return {.above = 1, .below = {}, .equals = {}};
    if (test_.kind == ClaimKind::optimum)
      return {.above = 1 / (1 + test_.tolerance_percent / 100), .below = {}, .equals = {}};
    return test_.bounds;
  }

  bool is_time() const { return follows_time(test_.quantity) == Follows::time; }

  ClaimPart& add_part(const std::string& what) {
    ClaimPart& part = answer_.parts.emplace_back();
    part.test = test_.name;
    part.what = what;
    return part;
  }
  void add_undecided(const std::string& what, const std::string& why) { add_part(what).why = why; }

  static void add_record(ClaimPart& part, const RecordFound& found) {
    part.records.push_back(found.name());
    part.is_modelled = part.is_modelled || found.kind() == "simt";
  }

  /// Sets the least difference that counts for a number made of these records.
  void set_least(ClaimPart& part, const RecordsFound& records) const {
    for (const RecordFound& found : records) {
      add_record(part, found);
      const LeastDifference* const tested = evidence_.least_difference(found.hardware());
      const bool is_one_run = std::ranges::all_of(records, [&](const RecordFound& other) {
        return other.of == found.of && !are_of_two_machines(other.with_run(), found.with_run());
      });
      const double least = !tested      ? usual_least_difference
                           : is_one_run ? tested->within_a_run
                                        : tested->between_runs;
      part.least_difference = std::max(part.least_difference, least);
      part.is_self_tested = part.is_self_tested || tested;
    }
  }

  /// Where there is no such record, none, and a part says why. A case that the device refuses decides
  /// nothing.
  std::optional<RecordFound> choose(const std::string& what, const Selected& selected) {
    Chosen chosen = chosen_of(selected.records, selected.selection, test_.quantity);
    if (!chosen.found) {
      add_undecided(what, chosen.why);
      if (chosen.is_unsupported) answer_.parts.back().decides = false;
    }
    return chosen.found;
  }

  void add_ratio(const ClaimCase& at, const Selected& of, const Selected& to) {
    const std::string what = at_case(text_of(of.selection) + " / " + text_of(to.selection), at);
    const std::optional<RecordFound> first = choose(what, to);
    const std::optional<RecordFound> second = first ? choose(what, of) : std::nullopt;
    if (second) add_quotient(what, *second, *first);
  }

  void add_quotient(const std::string& what, const RecordFound& of, const RecordFound& to) {
    ClaimPart& part = add_part(what);
    if (is_time()) {
      set_least(part, {of, to});
      const std::optional<double> of_boards = least_of_two_boards(of, to);
      part.least_difference = std::max(part.least_difference, of_boards.value_or(0));
      pairs_.push_back(answer_.parts.size() - 1);
      differences_.push_back(difference_of(of, to, of_boards || of.kind() != to.kind(), part));
      return;
    }
    for (const RecordFound& found : {of, to}) add_record(part, found);
    const double whole = *number_of(*to.record, test_.quantity);
    if (whole == 0) {
      part.why = fmt::format("`{}` is 0 in {}", test_.quantity, to.name());
      return;
    }
    const Measured ratio{*number_of(*of.record, test_.quantity) / whole, {}, true};
    set_number(part, ratio);
    part.verdict = verdict_on(bounds(), ratio, 0);
    measured_.emplace_back(answer_.parts.size() - 1, ratio);
  }

  /// By how much kernels alike differ between two boards, for records of two that nothing else keeps from being
  /// compared; none where no self-test says so of this n.
  std::optional<double> least_of_two_boards(const RecordFound& of, const RecordFound& to) const {
    if (!are_of_two_machines(of.with_run(), to.with_run()) ||
        !obstacles(of.with_run(), to.with_run()).empty())
      return std::nullopt;
    const double least = std::expm1(evidence_.least_across().of(*of.record, *to.record));
    return std::isfinite(least) ? std::optional(least) : std::nullopt;
  }

  static std::optional<Difference> difference_of(const RecordFound& of, const RecordFound& to, bool across,
                                                 ClaimPart& part) {
    const ComparedCase compared =
        compare_records(to.with_run(), of.with_run(), (*to.record)["key"], (*of.record)["key"], across);
    if (!compared.difference) part.why = fmt::format("{}", fmt::join(compared.notes, "; "));
    return compared.difference;
  }

  /// All ratios together: of many, some are beyond a bound by chance.
  void judge_pairs() {
    std::vector<double> least;
    for (const std::size_t pair : pairs_) least.push_back(answer_.parts[pair].least_difference);
    const std::vector<JudgedRatio> judged = judge_ratios(differences_, least, bounds());
    for (std::size_t i = 0; i < judged.size(); ++i) {
      ClaimPart& part = answer_.parts[pairs_[i]];
      part.verdict = judged[i].verdict;
      if (!judged[i].ratio) continue;
      set_number(part, *judged[i].ratio);
      Measured ratio = *judged[i].ratio;
      if (test_.over != Over::each) {
        const Interval interval = differences_[i]->interval(false_discoveries);
        ratio.interval = Interval{std::exp(interval.low), std::exp(interval.high)};
      }
      if (ratio.interval && !(std::isfinite(ratio.interval->low) && std::isfinite(ratio.interval->high)))
        ratio.interval.reset();
      measured_.emplace_back(pairs_[i], ratio);
    }
  }

  void add_value(const ClaimCase& at, const Selected& of) {
    const std::string what = at_case(text_of(of.selection), at);
    const std::optional<RecordFound> found = choose(what, of);
    if (!found) return;
    ClaimPart& part = add_part(what);
    part.unit = test_.quantity;
    const Measured measured = measured_of(*found->record, test_.quantity);
    if (measured.is_exact) add_record(part, *found);
    else set_least(part, {*found});
    set_number(part, measured);
    part.verdict = verdict_on(bounds(), measured, part.least_difference);
    if (!measured.is_exact && !measured.interval) part.why = "no interval: it is of one process";
    measured_.emplace_back(answer_.parts.size() - 1, measured);
  }

  /// The record that counts at each x.
  using Points = std::map<double, RecordFound>;

  void add_along(const ClaimCase& at, const Selected& of) {
    const std::string what = at_case(text_of(of.selection), at);
    std::map<double, RecordsFound> by_x;
    for (const RecordFound& found : of.records)
      if (const auto x = number_of(*found.record, test_.x)) by_x[*x].push_back(found);
    Points points;
    for (const auto& [x, records] : by_x) {
      const Chosen chosen = chosen_of(records, of.selection, test_.quantity);
      if (chosen.is_unsupported) continue;
      if (!chosen.found) return add_undecided(what + ", " + x_text(x), chosen.why);
      points.emplace(x, *chosen.found);
    }
    if (test_.kind == ClaimKind::slope) add_slope(what, points);
    else if (test_.kind == ClaimKind::optimum) add_optimum(what, points);
    else add_steps(what, points);
  }

  /// "block 256"
  std::string x_text(double x) const {
    const bool is_size = x == std::floor(x) && std::abs(x) < double(largest_size);
    return test_.x + " " + (is_size ? format_size(Index(x)) : as_printed(x));
  }

  void add_slope(const std::string& what, const Points& points) {
    constexpr std::size_t fewest = 3;
    if (points.size() < fewest)
      return add_undecided(
          what, fmt::format("{} points along {}, of which a slope needs {}", points.size(), test_.x, fewest));
    ClaimPart& part = add_part(what);
    part.unit = fmt::format("exponent of {}", test_.x);
    std::vector<double> x;
    std::vector<Measured> y;
    RecordsFound records;
    for (const auto& [at, found] : points) {
      x.push_back(at);
      y.push_back(measured_of(*found.record, test_.quantity));
      records.push_back(found);
    }
    set_least(part, records);
    const Measured slope = slope_of(x, y, part.least_difference);
    set_number(part, slope);
    part.verdict = verdict_on(bounds(), slope, 0);
    if (!slope.interval) part.why = "no interval: some of its times are of one process";
  }

  /// Compares the best record outside `among` with the best inside.
  void add_optimum(const std::string& what, const Points& points) {
    const Points::value_type *inside = nullptr, *outside = nullptr;
    const auto is_better = [&](const Points::value_type& point, const Points::value_type& other) {
      const double a = *number_of(*point.second.record, test_.quantity),
                   b = *number_of(*other.second.record, test_.quantity);
      return test_.is == Pick::fastest ? a < b : a > b;
    };
    for (const Points::value_type& point : points) {
      const Points::value_type*& best =
          std::ranges::find(test_.among, point.first) != test_.among.end() ? inside : outside;
      if (!best || is_better(point, *best)) best = &point;
    }
    if (!inside || !outside)
      return add_undecided(what, fmt::format("no record {} {} {}", inside ? "outside" : "at", test_.x,
                                             fmt::join(test_.among, ", ")));
    const bool fastest = test_.is == Pick::fastest;
    const Points::value_type &first = fastest ? *inside : *outside, &second = fastest ? *outside : *inside;
    add_quotient(fmt::format("{}, {} / {}", what, x_text(second.first), x_text(first.first)), second.second,
                 first.second);
  }

  /// For each cache: compares the first x that exceeds it with the last that fills at most half of it.
  void add_steps(const std::string& what, const Points& points) {
    constexpr double word = 4;
    if (points.empty()) return;
    const std::map<std::string, double>& levels = points.begin()->second.of->levels;
    if (levels.empty())
      return add_undecided(what, "the sizes of the caches are not known: cachesim/host.json is not there");
    for (const auto& [name, bytes] : levels) {
      const auto beyond = points.upper_bound(bytes / word);
      auto within = points.upper_bound(bytes / word / 2);
      if (beyond == points.end() || within == points.begin()) continue;
      --within;
      add_quotient(
          fmt::format("{}, {} / {}, out of {}", what, x_text(beyond->first), x_text(within->first), name),
          beyond->second, within->second);
    }
  }

  /// Adds one deciding part: the statistic of all cases.
  void sum_up() {
    if (measured_.empty()) return;
    std::vector<Measured> cases;
    ClaimPart all;
    for (const auto& [index, measured] : measured_) {
      ClaimPart& part = answer_.parts[index];
      part.decides = false;
      cases.push_back(measured);
      all.records.insert(all.records.end(), part.records.begin(), part.records.end());
      all.least_difference = std::max(all.least_difference, part.least_difference);
      all.is_self_tested = all.is_self_tested || part.is_self_tested;
      all.is_modelled = all.is_modelled || part.is_modelled;
      all.unit = part.unit;
    }
    const Measured number = over_cases(test_.over, cases);
    all.what = fmt::format("{} of {} cases", over_names[std::size_t(test_.over)], cases.size());
    all.test = test_.name;
    set_number(all, number);
    all.verdict = verdict_on(bounds(), number, all.least_difference);
    if (!number.is_exact && !number.interval) all.why = "a case has no interval: it is of one process";
    answer_.parts.push_back(std::move(all));
  }

  void finish(ClaimPart& part) const {
    part.bounds = bounds();
    if (part.verdict == ClaimVerdict::undecided && part.why.empty()) part.why = overlap;
    if (part.verdict != ClaimVerdict::undecided) part.why.clear();
  }

  const ClaimTest& test_;
  const Evidence& evidence_;
  TestAnswer answer_;
  // Ratios of two times, which are judged together: their parts and differences.
  std::vector<std::size_t> pairs_;
  std::vector<std::optional<Difference>> differences_;
  std::vector<std::pair<std::size_t, Measured>> measured_;  // by part
};

/// Of parts, or of tests.
template <typename Answered>
ClaimVerdict verdict_of(const std::vector<Answered>& answered) {
  const auto any = [&](ClaimVerdict verdict) {
    return std::ranges::any_of(answered,
                               [&](const Answered& one) { return one.decides && one.verdict == verdict; });
  };
  const bool is_of_tests = std::is_same_v<Answered, AnsweredTest>;
  if (any(ClaimVerdict::fails))
    return is_of_tests && any(ClaimVerdict::holds) ? ClaimVerdict::in_part : ClaimVerdict::fails;
  return any(ClaimVerdict::undecided) || !any(ClaimVerdict::holds) ? ClaimVerdict::undecided
                                                                   : ClaimVerdict::holds;
}

}  // namespace

std::optional<double> ClaimAnswer::smallest_difference_percent() const {
  std::optional<double> most;
  for (const ClaimPart& part : parts)
    if (part.is_self_tested) most = std::max(most.value_or(0), 100 * part.least_difference);
  return most;
}

bool ClaimAnswer::is_modelled() const {
  return std::ranges::any_of(parts, [](const ClaimPart& part) { return part.decides && part.is_modelled; });
}

ClaimAnswer answer(const Claim& claim, const Evidence& evidence) {
  ClaimAnswer all;
  all.claim = &claim;
  std::size_t deciding = 0, unmeasured = 0;
  for (const ClaimTest& test : claim.tests) {
    TestAnswer tested = Tester(test, evidence).answer();
    deciding += test.decides;
    unmeasured += test.decides && tested.missing.size() == test.configs.size();
    for (std::string& config : tested.missing)
      if (std::ranges::find(all.missing, config) == all.missing.end()) all.missing.push_back(config);
    if (std::ranges::none_of(tested.parts, &ClaimPart::decides)) {
      ClaimPart& part = tested.parts.emplace_back();
      part.test = test.name;
      part.why = "no case that this device takes";
    }
    const ClaimVerdict verdict = verdict_of(tested.parts);
    const std::string name = test.name.empty() ? fmt::format("test {}", all.tests.size() + 1) : test.name;
    all.tests.push_back({name, verdict, why_of(verdict, tested.parts), test.decides});
    for (ClaimPart& part : tested.parts) part.decides = part.decides && test.decides;
    std::ranges::move(tested.parts, std::back_inserter(all.parts));
  }
  all.verdict = verdict_of(all.tests);
  all.why = why_of(all.verdict, all.tests);
  if (deciding > 0 && unmeasured == deciding) all.verdict = ClaimVerdict::not_measured;
  return all;
}

std::vector<ClaimAnswer> answer_all(const std::vector<Claim>& claims, const Evidence& evidence) {
  std::vector<ClaimAnswer> answers;
  for (const Claim& claim : claims) answers.push_back(answer(claim, evidence));
  return answers;
}

}  // namespace redbench
