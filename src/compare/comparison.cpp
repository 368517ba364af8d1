#include "src/compare/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
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

Record without_samples(const Record& record) {
  Record brief = Json::object();
  for (const auto& [name, value] : record.items())
    if (name != "samples_ns" && name != "again_ns" && name != "trace") brief[name] = value;
  return brief;
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

/// `paired`: both were sampled in the same rounds of one cell, unless session or passes differ.
ComparedCase compared(const RecordOfRun& first, const RecordOfRun& second,
                      const std::vector<std::string>& against, const Names& names, bool paired,
                      const CompareOptions& options) {
  ComparedCase case_{.record = without_samples(first.record),
                     .first_ns = first.record["time_ns"],
                     .second_ns = second.record["time_ns"]};
  for (const auto& [of, name] : {std::pair(&first.record, names.first), {&second.record, names.second}})
    if (!(*of)["time_ns"].is_number()) case_.notes.push_back(untimed(*of, name));
  if (!case_.notes.empty()) {
    case_.is_lost = !case_.first_ns.is_null();
    return case_;
  }
  case_.notes = against;
  if (paired && first.record["session"] != second.record["session"])
    case_.notes.push_back("measured in two sessions, so in other rounds");
  else if (paired && first.record["passes"] != second.record["passes"])
    case_.notes.push_back("measured in two passes of their cell, as a process died, so in other rounds");
  const bool comparable = case_.notes.empty() || options.across;
  std::ranges::copy(marks(first.record, second.record, names.first, names.second),
                    std::back_inserter(case_.notes));
  if (!comparable) return case_;
  const std::optional<Samples> a = samples_of(first.record, "samples_ns"),
                               b = samples_of(second.record, "samples_ns");
  if (!a || !b) {
    case_.notes.push_back("its samples are no times");
    return case_;
  }
  case_.difference = paired ? paired_difference(*a, *b) : unpaired_difference(*a, *b);
  if (case_.difference && !case_.difference->is_finite()) {
    case_.difference.reset();
    case_.notes.push_back("the distance of its times is no finite number");
    return case_;
  }
  if (!case_.difference) case_.notes.push_back(paired ? "no samples" : one_process);
  else if (case_.difference->of_one_process()) case_.notes.push_back("of one process");
  return case_;
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
  std::string text;
  for (const char* field : {"problem", "n", "type", "operator", "axes", "mode", "device", "seed"})
    text += line_of(record[field]) + '\t';
  return text;
}

bool agree_in_parameters(const Record& first, const Record& second) {
  const Json& other = second["parameters"];
  for (const auto& [name, value] : first["parameters"].items())
    if (const auto found = other.find(name); found != other.end() && *found != value) return false;
  return true;
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

}  // namespace

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
  Comparison comparison{.first = a.path, .second = b.path, .machines = machines_apart(a, b)};
  std::map<CaseOfRun, const Record*> in_b;
  for (const Record& record : b.records)
    for (const std::string& key : {key_by_contents(record), record["key"].get<std::string>()})
      in_b.emplace(identity(record, key), &record);
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
    reasons.push_back(obstacles(first, second));
    comparison.cases.push_back(compared(first, second, reasons.back(), {"A", "B"}, false, options));
  }
  if (comparison.cases.empty())
    throw UsageError(fmt::format(
        "{} and {}: no case that both have in one mode on one kind of device, with a time in either", a.path,
        b.path));
  const auto has_obstacle = [](const std::vector<std::string>& of_case) { return !of_case.empty(); };
  if (!options.across && std::ranges::all_of(reasons, has_obstacle))  // a table would be empty
    throw UsageError(fmt::format("{} and {} cannot be compared: {}; --across does it nonetheless", a.path,
                                 b.path, fmt::join(reasons[0], "; ")));
  const std::size_t shared = a.records.size() - only_a;
  if (only_a > 0)
    comparison.remarks.push_back(
        fmt::format("Cases of A alone: {}, {} with a time.", only_a, comparison.gone));
  if (b.records.size() > shared)
    comparison.remarks.push_back(fmt::format("Cases of B alone: {}.", b.records.size() - shared));
  if (const std::string text = measured_otherwise(a, b); !text.empty()) comparison.remarks.push_back(text);
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
  std::map<std::string, std::size_t> of_first, of_second;  // how many at each point
  for (const Record& record : run.records) {
    if (is_called(record, first)) ++of_first[point_of(record)];
    if (is_called(record, second)) ++of_second[point_of(record)];
  }
  for (const Record& record : run.records) {
    if (!is_called(record, first)) continue;
    const std::string point = point_of(record);
    const bool swept = of_first[point] > 1 || of_second[point] > 1;
    for (const Record& other : run.records) {
      const bool same_point = is_called(other, second) && point_of(other) == point &&
                              (!swept || agree_in_parameters(record, other));
      if (!same_point || (record["time_ns"].is_null() && other["time_ns"].is_null())) continue;
      const RecordOfRun a{run, record}, b{run, other};
      comparison.cases.push_back(compared(a, b, obstacles(a, b), {first, second}, true, options));
    }
  }
  if (comparison.cases.empty())
    throw UsageError(fmt::format(
        "{}: `{}` and `{}` have no case in common: same input, mode and device, with a time of either",
        run.path, first, second));
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
  const bool paired = &first.run == &second.run && point_of(first.record) == point_of(second.record) &&
                      first.record["session"] == second.record["session"] &&
                      first.record["passes"] == second.record["passes"];
  return compared(first, second, across ? std::vector<std::string>() : obstacles(first, second),
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
