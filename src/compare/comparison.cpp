#include "src/compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "src/error.hpp"
#include "src/registry.hpp"
#include "src/tables/record_axes.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

constexpr const char* one_process =
    "one process each: not compared, as times differ from process to process; --set measure.forks=5 "
    "measures in five";

/// None where the field is not lists of times above 0: `again_ns` is not checked when records are read.
std::optional<Samples> samples_of(const Record& record, const char* field) try {
  Samples forks = record[field].get<Samples>();
  for (const std::vector<double>& fork : forks)
    if (!std::ranges::all_of(fork, [](double sample) { return sample > 0; })) return std::nullopt;
  return forks;
} catch (const Json::exception&) {
  return std::nullopt;
}

struct Names {
  std::string first, second;
};

/// Why a record has no time.
std::string untimed(const Record& record, const std::string& name) {
  const std::string outcome = record["outcome"];
  const Json& reason = record["reason"];
  return fmt::format("{} {}{}", name, outcome, reason.is_string() ? ": " + reason.get<std::string>() : "");
}

/// Of the coarser clock; 0 where neither says.
double tick_of(const Record& first, const Record& second) {
  double tick = 0;
  for (const Record* record : {&first, &second})
    if (const Json& ns = (*record)["clock_tick_ns"]; ns.is_number()) tick = std::max(tick, ns.get<double>());
  return tick;
}

/// Obstacles, and whether they may be of two machines.
std::vector<std::string> all_obstacles(const RecordOfRun& first, const RecordOfRun& second) {
  std::vector<std::string> sentences = obstacles(first, second);
  if (std::string machine = why_other_machine(first, second); !machine.empty())
    sentences.push_back(std::move(machine));
  return sentences;
}

/// Both times, what to know of them, and whether they can be compared.
struct Begun {
  ComparedCase case_;
  bool is_comparable;
};

Begun begun(const RecordOfRun& first, const RecordOfRun& second, const std::vector<std::string>& against,
            const Names& names, bool across) {
  ComparedCase case_{.record = without_samples(first.record),
                     .first_ns = first.record["time_ns"],
                     .second_ns = second.record["time_ns"]};
  for (const auto& [of, name] : {std::pair(&first.record, names.first), {&second.record, names.second}})
    if (!(*of)["time_ns"].is_number()) case_.notes.push_back(untimed(*of, name));
  if (!case_.notes.empty()) {
    case_.is_lost = !case_.first_ns.is_null();
    return {case_, false};
  }
  case_.notes = against;
  std::ranges::copy(marks(first.record, second.record, names.first, names.second),
                    std::back_inserter(case_.notes));
  return {case_, against.empty() || across};
}

void set_difference(ComparedCase& case_, const std::optional<Difference>& difference, const char* why_none) {
  if (!difference) case_.notes.emplace_back(why_none);
  else if (!difference->is_finite())
    case_.notes.emplace_back("the distance of its times is no finite number");
  else case_.difference = difference;
  if (case_.difference && case_.difference->of_one_process()) case_.notes.emplace_back("of one process");
}

/// `paired`: both were sampled in the same rounds of one cell, unless session or passes differ.
ComparedCase compared(const RecordOfRun& first, const RecordOfRun& second, std::vector<std::string> against,
                      const Names& names, bool paired, const CompareOptions& options) {
  if (paired && first.record["session"] != second.record["session"])
    against.emplace_back("measured in two sessions, so in other rounds");
  else if (paired && first.record["passes"] != second.record["passes"])
    against.emplace_back("measured in two passes of their cell, as a process died, so in other rounds");
  auto [case_, is_comparable] = begun(first, second, against, names, options.across);
  if (!is_comparable) return case_;
  const std::optional<Samples> a = samples_of(first.record, "samples_ns"),
                               b = samples_of(second.record, "samples_ns");
  const double tick = tick_of(first.record, second.record);
  if (!a || !b) case_.notes.emplace_back("its samples are no times");
  else if (paired) set_difference(case_, paired_difference(*a, *b, tick), "no samples");
  else set_difference(case_, unpaired_difference(*a, *b, tick), one_process);
  return case_;
}

/// The last case's times are of two machines.
void set_least(Comparison& comparison, const RecordOfRun& first, const RecordOfRun& second,
               const LeastAcross& least) {
  if (auto& difference = comparison.cases.back().difference)
    difference->least = least.of(first.record, second.record);
}

/// What the times of two machines are called by.
void add_least_across(Comparison& comparison, const LeastAcross& least) {
  std::set<std::string> sentences;
  for (const ComparedCase& case_ : comparison.cases) {
    const double of_case = case_.difference ? case_.difference->least : 0;
    if (std::isinf(of_case))
      sentences.insert(
          "Times of two machines are called neither faster nor slower where no self-test of several "
          "machines is of their model: `redbench selftest --with DIR` makes one.");
    else if (of_case > 0) sentences.insert(least.sentence(case_.record["hardware"]));
  }
  std::ranges::copy(sentences, std::back_inserter(comparison.remarks));
}

void judge_all(Comparison& comparison, const CompareOptions& options) {
  comparison.threshold_percent = options.threshold_percent;
  std::vector<std::optional<Difference>> differences;
  for (const ComparedCase& case_ : comparison.cases) differences.push_back(case_.difference);
  const std::vector<Judged> judged = judge(differences, options.threshold_percent);
  for (std::size_t i = 0; i < judged.size(); ++i) comparison.cases[i].judged = judged[i];
}

using CaseOfRun = std::tuple<std::string, std::string, std::string>;

/// Identifies a case across runs: "cuda:0" and "cuda:1" are one kind of device.
CaseOfRun identity(const Record& record, const std::string& key) {
  const std::string device = record["device"];
  return {key, record["mode"], std::string(kind_of_device(device))};
}

/// By what input files hold, else by their paths: a file whose contents have changed is an obstacle then.
const Record* counterpart(const Record& record, const std::map<CaseOfRun, const Record*>& others) {
  for (const std::string& key : {key_by_contents(record), record["key"].get<std::string>()})
    if (const auto found = others.find(identity(record, key)); found != others.end()) return found->second;
  return nullptr;
}

/// Whether the variant has this name, with or without its problem.
bool is_called(const Record& record, const std::string& name) {
  return record["variant"] == name || short_variant(record) == name;
}

/// The point of a sweep that a record is at, whatever its variant.
std::string point_of(const Record& record) {
  return line_of(record, {"problem", "n", "type", "operator", "axes", "mode", "device", "seed"});
}

/// What the times of run A are divided by: at each point the variant of this name; of an empty name, the
/// first that is a library's.
class References {
 public:
  References(const StoredRun& run, const std::string& name) {
    for (const Record& record : run.records)
      if (record["time_ns"].is_number() && (name.empty() ? is_of_library(record) : is_called(record, name)))
        in_rounds_.emplace(rounds_of(record), &record);
  }
  /// The one that was sampled in the rounds of the record; null where there is none.
  const Record* of(const Record& record) const {
    const auto found = in_rounds_.find(rounds_of(record));
    return found == in_rounds_.end() ? nullptr : found->second;
  }

 private:
  std::map<std::string, const Record*> in_rounds_;  // the first of each
};

/// How far the record's time is from its reference's; none where either has no samples.
std::optional<Difference> from_reference(const Record& record, const Record& reference) {
  const std::optional<Samples> a = samples_of(reference, "samples_ns"), b = samples_of(record, "samples_ns");
  return a && b ? paired_difference(*a, *b, tick_of(reference, record)) : std::nullopt;
}

/// Compares the quotients of two records' times and their references'.
ComparedCase compared_by_reference(const RecordOfRun& first, const Record& first_reference,
                                   const RecordOfRun& second, const Record& second_reference,
                                   const std::vector<std::string>& against, bool across) {
  auto [case_, is_comparable] = begun(first, second, against, {"A", "B"}, across);
  case_.reference = short_variant(first_reference);
  if (!is_comparable) return case_;
  const std::optional<Difference> a = from_reference(first.record, first_reference),
                                  b = from_reference(second.record, second_reference);
  set_difference(case_, a && b ? difference_of(*a, *b) : std::nullopt, one_process);
  return case_;
}

/// Records of a variant at a point.
struct Forms {
  std::size_t printed = 0, tuned = 0;
  void add(const Record& record) { ++(record["tuned"] == true ? tuned : printed); }
};

/// The tuned form of a variant is compared with the other's tuned form, where that has one.
bool are_of_one_form(const Record& first, const Record& second, const Forms& of_first,
                     const Forms& of_second) {
  const bool both_tuned = of_first.tuned > 0 && of_second.tuned > 0;
  return !both_tuned || first["tuned"] == second["tuned"];
}

bool agree_in_parameters(const Record& first, const Record& second) {
  const Json& other = second["parameters"];
  for (const auto& [name, value] : first["parameters"].items())
    if (const auto found = other.find(name); found != other.end() && *found != value) return false;
  return true;
}

/// Adds to the first record what tells the pair from others: whether either is tuned, and the second's parameters.
/// Those in which a tuned pair differs are no axis.
void add_second(Record& first, const Record& second) {
  const bool is_tuned = first["tuned"] == true || second["tuned"] == true;
  first["tuned"] = is_tuned;
  Json& parameters = first["parameters"];
  for (const auto& [name, value] : second["parameters"].items())
    if (!parameters.contains(name)) parameters[name] = value;
    else if (is_tuned && parameters[name] != value) parameters.erase(name);
}

/// Why a time is divided by none. `machine`: why_other_machine.
std::string no_reference(const std::string& machine, const std::string& name) {
  if (!name.empty()) return fmt::format("no time of `{}` at its point in the same rounds of both", name);
  return machine +
         "; and no library's time at its point in the same rounds of both: --reference VARIANT "
         "names what times are divided by";
}

void check_variant(const StoredRun& run, const std::string& name) {
  std::vector<std::string> names;
  for (const Record& record : run.records) {
    if (is_called(record, name)) return;
    names.push_back(short_variant(record));
  }
  throw UsageError(
      fmt::format("{}: no record of a variant `{}`{}", run.path, name, nearest_match(name, names)));
}

/// A sentence where all that the run has are counts.
std::string why_no_time(const StoredRun& run) {
  const auto is_modelled = [](const Record& record) {
    return target_of_device(record["device"].get<std::string>()) == Target::simt;
  };
  if (!std::ranges::all_of(run.records, is_modelled)) return {};
  return ". A modelled device has no times; redbench why compares what it counts";
}

}  // namespace

std::string rounds_of(const Record& record) {
  return point_of(record) + line_of(record["session"]) + '\t' + line_of(record["passes"]);
}

Record without_samples(const Record& record) {
  Record brief = Json::object();
  for (const auto& [name, value] : record.items())
    if (name != "samples_ns" && name != "again_ns" && name != "trace") brief[name] = value;
  return brief;
}

void check_threshold(double percent) {
  if (!(percent >= 0 && percent < 100))
    throw UsageError(fmt::format("--threshold {}: 0 or more, and less than 100", percent));
}

std::size_t Comparison::count(Verdict verdict) const {
  return std::size_t(std::ranges::count_if(
      cases, [&](const ComparedCase& case_) { return case_.judged.verdict == verdict; }));
}

std::size_t Comparison::differing() const { return count(Verdict::faster) + count(Verdict::slower); }

std::string Comparison::summary() const {
  std::string counts;
  for (const Verdict verdict : {Verdict::faster, Verdict::slower, Verdict::same, Verdict::undecided})
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count(verdict), name_of(verdict));
  return fmt::format("{}: {} of {} pairs differ", counts, differing(), cases.size());
}

Comparison compare_runs(const StoredRun& a, const StoredRun& b, const CompareOptions& options) {
  if (!options.reference.empty())
    for (const StoredRun* run : {&a, &b}) check_variant(*run, options.reference);
  Comparison comparison{.first = a.path, .second = b.path, .machines = machines_apart(a, b)};
  std::map<CaseOfRun, const Record*> in_b;
  for (const Record& record : b.records)
    for (const std::string& key : {key_by_contents(record), record["key"].get<std::string>()})
      in_b.emplace(identity(record, key), &record);
  const References references(a, options.reference);
  std::size_t only_a = 0;
  std::vector<std::vector<std::string>> reasons;
  for (const Record& record : a.records) {
    const Record* const other = counterpart(record, in_b);
    if (!other) {
      ++only_a;
      comparison.gone += record["time_ns"].is_number();
      continue;
    }
    // Neither has a time: the case was refused, or the device has no clock.
    if (record["time_ns"].is_null() && (*other)["time_ns"].is_null()) continue;
    const RecordOfRun first{a, record}, second{b, *other};
    std::vector<std::string>& against = reasons.emplace_back(obstacles(first, second));
    const std::string machine = options.one_machine ? "" : why_other_machine(first, second);
    const bool by_reference = options.quotients || !options.reference.empty();
    if (!by_reference && (machine.empty() || options.across)) {
      if (!machine.empty()) against.push_back(machine);
      comparison.cases.push_back(compared(first, second, against, {"A", "B"}, false, options));
      if (!machine.empty()) set_least(comparison, first, second, options.least_across);
      continue;
    }
    const Record* const reference = references.of(record);
    const Record* const other_reference = reference ? counterpart(*reference, in_b) : nullptr;
    if (reference == &record && other_reference == other) {
      ++comparison.references;
      reasons.pop_back();
    } else if (other_reference && (*other_reference)["time_ns"].is_number() &&
               rounds_of(*other) == rounds_of(*other_reference)) {
      comparison.cases.push_back(
          compared_by_reference(first, *reference, second, *other_reference, against, options.across));
    } else {
      against.push_back(no_reference(machine, options.reference));
      comparison.cases.push_back(begun(first, second, against, {"A", "B"}, false).case_);
    }
  }
  if (comparison.cases.empty() && comparison.references > 0)
    throw UsageError(fmt::format("{} and {}: all that both have are cases by which times are divided; {}",
                                 a.path, b.path,
                                 options.reference.empty() ? "--across compares times nonetheless"
                                                           : "name another --reference, or none"));
  if (comparison.cases.empty())
    throw UsageError(fmt::format(
        "{} and {}: no case that both have in one mode on one kind of device, with a time in either{}",
        a.path, b.path, why_no_time(a)));
  const auto has_obstacle = [](const std::vector<std::string>& of_case) { return !of_case.empty(); };
  if (!options.across && std::ranges::all_of(reasons, has_obstacle))  // a table would be empty
    throw UsageError(fmt::format("{} and {} cannot be compared: {}; --across compares times nonetheless",
                                 a.path, b.path, fmt::join(reasons[0], "; ")));
  const std::size_t shared = a.records.size() - only_a;
  if (only_a > 0)
    comparison.remarks.push_back(
        fmt::format("Cases of A alone: {}, {} with a time.", only_a, comparison.gone));
  if (b.records.size() > shared)
    comparison.remarks.push_back(fmt::format("Cases of B alone: {}.", b.records.size() - shared));
  if (const std::string text = measured_otherwise(a, b); !text.empty()) comparison.remarks.push_back(text);
  if (comparison.references > 0)
    comparison.remarks.push_back(
        fmt::format("Each time is divided by that of `against` in the same rounds, and B / A is of these "
                    "quotients. Not listed: the {} cases of `against` itself.",
                    comparison.references));
  add_least_across(comparison, options.least_across);
  judge_all(comparison, options);
  return comparison;
}

Comparison compare_variants(const StoredRun& run, const std::string& first, const std::string& second,
                            const CompareOptions& options) {
  if (first == second)
    throw UsageError(fmt::format("--variants {} {}: one variant, named twice", first, second));
  check_variant(run, first);
  check_variant(run, second);
  Comparison comparison{.first = first, .second = second, .of_variants = true};
  std::map<std::string, Forms> of_first, of_second;  // at each point
  for (const Record& record : run.records) {
    if (is_called(record, first)) of_first[point_of(record)].add(record);
    if (is_called(record, second)) of_second[point_of(record)].add(record);
  }
  for (const Record& record : run.records) {
    if (!is_called(record, first)) continue;
    const std::string point = point_of(record);
    const Forms &firsts = of_first[point], &seconds = of_second[point];
    const bool swept = record["tuned"] != true && (firsts.printed > 1 || seconds.printed > 1);
    for (const Record& other : run.records) {
      const bool same_point = is_called(other, second) && point_of(other) == point &&
                              are_of_one_form(record, other, firsts, seconds) &&
                              (!swept || other["tuned"] == true || agree_in_parameters(record, other));
      if (!same_point || (record["time_ns"].is_null() && other["time_ns"].is_null())) continue;
      const RecordOfRun a{run, record}, b{run, other};
      comparison.cases.push_back(compared(a, b, all_obstacles(a, b), {first, second}, true, options));
      if (!why_other_machine(a, b).empty()) set_least(comparison, a, b, options.least_across);
      add_second(comparison.cases.back().record, other);
    }
  }
  if (comparison.cases.empty())
    throw UsageError(fmt::format(
        "{}: `{}` and `{}` have no case in common: same input, mode and device, with a time of either{}",
        run.path, first, second, why_no_time(run)));
  add_least_across(comparison, options.least_across);
  judge_all(comparison, options);
  return comparison;
}

Comparison compare_again(const StoredRun& run, const CompareOptions& options) {
  Comparison comparison{.first = run.path, .second = run.path + ", again"};
  for (const Record& record : run.records) {
    if (!record["again_ns"].is_array()) continue;
    ComparedCase& case_ = comparison.cases.emplace_back(
        ComparedCase{.record = without_samples(record), .first_ns = record["time_ns"], .second_ns = nullptr});
    const std::optional<Samples> a = samples_of(record, "samples_ns"), b = samples_of(record, "again_ns");
    if (a && b) case_.difference = paired_difference(*a, *b);
    if (case_.difference && !case_.difference->is_finite()) case_.difference.reset();
  }
  if (comparison.cases.empty())
    throw UsageError(run.path + ": no case was sampled twice; --set measure.twice=true does it");
  judge_all(comparison, options);
  return comparison;
}

ComparedCase compare_records(const RecordOfRun& first, const RecordOfRun& second,
                             const std::string& first_name, const std::string& second_name, bool across) {
  const bool paired = &first.run == &second.run && rounds_of(first.record) == rounds_of(second.record);
  return compared(first, second, across ? std::vector<std::string>() : all_obstacles(first, second),
                  {first_name, second_name}, paired, {.across = across});
}

int exit_code_of(const Comparison& comparison, bool fail_on_regression) {
  const std::size_t undecided = comparison.count(Verdict::undecided);
  if (!fail_on_regression) return undecided == comparison.cases.size() ? exit_undecided : exit_fine;
  const bool lost =
      comparison.gone > 0 ||
      std::ranges::any_of(comparison.cases, [](const ComparedCase& case_) { return case_.is_lost; });
  if (lost || comparison.count(Verdict::slower) > 0) return exit_failed;
  return undecided > 0 ? exit_undecided : exit_fine;
}

}  // namespace redbench
