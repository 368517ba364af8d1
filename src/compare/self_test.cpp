#include "src/compare/self_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "src/error.hpp"
#include "src/measure/stop_rule.hpp"
#include "src/tables/numbers.hpp"
#include "src/tables/tables.hpp"
#include "src/tables/text.hpp"

namespace redbench {
namespace {

constexpr std::size_t fewest_pairs = 20;
constexpr double power = 0.8;

bool are_disjoint(const Record& a, const Record& b) {
  for (const Record* record : {&a, &b})
    if (!(*record)["time_low_ns"].is_number() || !(*record)["time_high_ns"].is_number()) return false;
  return a["time_high_ns"] < b["time_low_ns"] || b["time_high_ns"] < a["time_low_ns"];
}

std::size_t disjoint_pairs(const StoredRun& a, const StoredRun& b) {
  std::map<std::pair<std::string, std::string>, const Record*> in_b;
  for (const Record& record : b.records) in_b.emplace(std::pair(record["key"], record["mode"]), &record);
  return std::size_t(std::ranges::count_if(a.records, [&](const Record& record) {
    const auto found = in_b.find({record["key"], record["mode"]});
    return found != in_b.end() && are_disjoint(record, *found->second);
  }));
}

/// One self-test is of one machine, as far as its runs say.
void check_machine(const StoredRun& a, const StoredRun& b) {
  if (a.records.empty() || b.records.empty()) return;
  const RecordOfRun first{a, a.records[0]}, second{b, b.records[0]};
  if (are_of_two_machines(first, second))
    throw UsageError(fmt::format("{} and {}: {}", a.path, b.path, why_other_machine(first, second)));
}

bool are_of_one_model(const StoredRun& a, const StoredRun& b) {
  return !a.records.empty() && !b.records.empty() && a.records[0]["hardware"] == b.records[0]["hardware"];
}

/// The board of both is known, and one: a self-test of it was made again.
bool are_of_one_machine(const StoredRun& a, const StoredRun& b) {
  return !a.records.empty() && !b.records.empty() &&
         why_other_machine({a, a.records[0]}, {b, b.records[0]}).empty();
}

/// Each process of a run measures all cases, so the most forks of any case.
std::size_t processes_of(const StoredRun& run) {
  std::size_t most = 0;
  for (const Record& record : run.records)
    if (record["forks"].is_number()) most = std::max(most, record["forks"].get<std::size_t>());
  return most;
}

/// A log ratio in percent of the time; null for one that is not known.
Json percent_or_null(double log_ratio) {
  return std::isfinite(log_ratio) ? Json(100 * std::expm1(log_ratio)) : Json();
}

Json json_of(const AgainstItself& pairs, double threshold_percent) {
  const double half = pairs.pairs() == 0 ? INFINITY : median_of(pairs.half_widths).value;
  double greatest = pairs.pairs() == 0 ? INFINITY : 0;
  for (const double ratio : pairs.log_ratios) greatest = std::max(greatest, std::abs(ratio));
  return {{"pairs", pairs.pairs()},
          {"differing", pairs.differing},
          {"least_difference_called_percent",
           percent_or_null(pairs.least_called(threshold_percent).value_or(INFINITY))},
          {"greatest_difference_percent", percent_or_null(greatest)},
          {"median_half_width_percent", percent_or_null(half)}};
}

/// What is compared: the report's key, the table's column.
struct Kind {
  const char *key, *column;
  AgainstItself SelfTest::*all;
  AgainstItself SizeTested::*of_size;
};
constexpr Kind kinds[] = {
    {"between_runs", "between runs (%)", &SelfTest::between, &SizeTested::between},
    {"within_a_run", "within a run (%)", &SelfTest::within, &SizeTested::within},
    {"again_on_a_machine", "between self-tests of a machine (%)", &SelfTest::again, &SizeTested::again},
    {"across_machines", "between machines (%)", &SelfTest::across, &SizeTested::across},
    {"quotients_across_machines", "quotients of machines (%)", &SelfTest::quotients, &SizeTested::quotients}};

bool has(const SelfTest& test, const Kind& kind) {
  return kind.all == &SelfTest::between || kind.all == &SelfTest::within || (test.*kind.all).pairs() > 0;
}

Table size_table(const SelfTest& test) {
  Table table{.columns = {{"n", true}}};
  for (const SizeTested& size : test.sizes) table.rows.push_back({format_size(size.n)});
  for (const Kind& kind : kinds) {
    if (!has(test, kind)) continue;
    table.columns.push_back({kind.column, true});
    for (std::size_t i = 0; i < test.sizes.size(); ++i) {
      const auto least = (test.sizes[i].*kind.of_size).least_called(test.threshold_percent);
      table.rows[i].push_back(least ? significant(100 * std::expm1(*least), 2) : "-");
    }
  }
  return table;
}

std::vector<std::string> sentences(const SelfTest& test) {
  std::vector<std::string> all{
      fmt::format("{} pairs of the same kernel, input and machine between {} runs, {} within one, from {} "
                  "processes, each of which measured all cases of its run.",
                  test.between.pairs(), test.runs.size(), test.within.pairs(), test.processes),
      fmt::format("Pairs that are called different: {} of {} between runs ({} %), {} of {} within one.",
                  test.between.differing, test.between.pairs(), significant(test.differing_percent(), 2),
                  test.within.differing, test.within.pairs()),
      fmt::format("Intervals of two runs that are disjoint: {} of {}.", test.disjoint, test.between.pairs())};
  if (test.again.pairs() > 0)
    all.push_back(fmt::format("Pairs of two self-tests of one machine that are called different: {} of {}.",
                              test.again.differing, test.again.pairs()));
  else all.emplace_back("No machine has two self-tests here: what another day or boot does is not known.");
  if (test.across.pairs() > 0)
    all.push_back(
        fmt::format("Pairs between {} machines that are called different: {} of {} by their times, "
                    "{} of {} by their times over a library's in the same rounds.",
                    test.machines, test.across.differing, test.across.pairs(), test.quotients.differing,
                    test.quotients.pairs()));
  else
    all.push_back(fmt::format("{}: what another machine does is not known.",
                              test.machines > 1
                                  ? "None of the other machines is of this model, with a case in common"
                                  : "No other machine's self-test is given (--with)"));
  return all;
}

std::string explanation(const SelfTest& test) {
  return fmt::format(
      "Least difference called, for each n: a true difference of this size is called faster or slower by a "
      "single comparison with 80 % power. 80 % of the pairs, shifted by it, are beyond {:g} % and half their own "
      "95 % interval. Among many cases it takes more. It is not known from fewer than {} pairs.",
      test.threshold_percent, fewest_pairs);
}

}  // namespace

void AgainstItself::add(const ComparedCase& case_) {
  if (!case_.difference) return;
  differing += differs(case_.judged.verdict);
  log_ratios.push_back(case_.difference->log_ratio);
  const Interval interval = case_.difference->interval(interval_error);
  half_widths.push_back((interval.high - interval.low) / 2);
}

std::optional<double> AgainstItself::least_called(double threshold_percent) const {
  if (pairs() < fewest_pairs) return std::nullopt;
  const double threshold = std::log1p(threshold_percent / 100);
  // The true difference at which each pair would be found, given how far chance moved it.
  std::vector<double> called_from;
  for (std::size_t i = 0; i < pairs(); ++i)
    for (const double by_chance : {log_ratios[i], -log_ratios[i]})
      called_from.push_back(std::max(threshold, half_widths[i]) - by_chance);
  std::ranges::sort(called_from);
  const double least = called_from[std::size_t(std::ceil(power * double(called_from.size()))) - 1];
  const double called = std::max({least, threshold, median_of(half_widths).value});
  return std::isfinite(called) ? std::optional(called) : std::nullopt;
}

double SelfTest::differing_percent() const {
  return between.pairs() == 0 ? 0 : 100 * double(between.differing) / double(between.pairs());
}

SelfTest self_test(const std::vector<StoredRun>& runs, double threshold_percent,
                   const std::vector<std::vector<StoredRun>>& others) {
  SelfTest test;
  test.threshold_percent = threshold_percent;
  std::map<Index, SizeTested> sizes;
  const auto add = [&](const Comparison& comparison, AgainstItself SelfTest::*all,
                       AgainstItself SizeTested::*of_size) {
    for (const ComparedCase& case_ : comparison.cases) {
      SizeTested& size = sizes[case_.record["n"].get<Index>()];
      (size.*of_size).add(case_);
      (test.*all).add(case_);
    }
  };
  const CompareOptions options{.threshold_percent = threshold_percent, .one_machine = true};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    test.runs.push_back(std::filesystem::path(runs[i].path).filename());
    test.processes += processes_of(runs[i]);
    for (std::size_t j = i + 1; j < runs.size(); ++j) {
      check_machine(runs[i], runs[j]);
      add(compare_runs(runs[i], runs[j], options), &SelfTest::between, &SizeTested::between);
      test.disjoint += disjoint_pairs(runs[i], runs[j]);
    }
    add(compare_again(runs[i], options), &SelfTest::within, &SizeTested::within);
  }
  std::vector<const std::vector<StoredRun>*> tests{&runs};
  for (const std::vector<StoredRun>& other : others) {
    test.machines += std::ranges::none_of(
        tests, [&](const auto* earlier) { return are_of_one_machine((*earlier)[0], other[0]); });
    for (const std::vector<StoredRun>* const earlier : tests)
      for (const StoredRun& a : *earlier)
        for (const StoredRun& b : other) {
          if (!are_of_one_model(a, b)) continue;
          CompareOptions by_times{
              .threshold_percent = threshold_percent, .across = true, .one_machine = true};
          const Comparison times = compare_runs(a, b, by_times);
          if (are_of_one_machine(a, b)) {
            add(times, &SelfTest::again, &SizeTested::again);
            continue;
          }
          add(times, &SelfTest::across, &SizeTested::across);
          by_times.quotients = true;
          add(compare_runs(a, b, by_times), &SelfTest::quotients, &SizeTested::quotients);
        }
    tests.push_back(&other);
  }
  for (auto& [n, size] : sizes) {
    size.n = n;
    test.sizes.push_back(std::move(size));
  }
  return test;
}

std::string text_of(const SelfTest& test, int width) {
  std::string text = aligned(size_table(test), false, std::size_t(width));
  text += paragraph(explanation(test), std::size_t(width)) + "\n";
  for (const std::string& sentence : sentences(test)) text += paragraph(sentence, std::size_t(width));
  return text;
}

std::string markdown(const SelfTest& test, const std::string& title) {
  std::string text = fmt::format("# {}\n\n", markdown_text(title));
  for (const std::string& sentence : sentences(test)) text += "- " + markdown_text(sentence) + "\n";
  return text + "\n" + markdown(size_table(test)) + "\n" + explanation(test) + "\n";
}

Json to_json(const SelfTest& test) {
  Json json{{"schema", 1},
            {"runs", test.runs},
            {"threshold_percent", test.threshold_percent},
            {"processes", test.processes},
            {"pairs", test.between.pairs()},
            {"differing", test.between.differing},
            {"differing_percent", test.differing_percent()},
            {"disjoint_intervals_between_runs", test.disjoint},
            {"machines", test.machines},
            {"sizes", Json::array()}};
  for (const SizeTested& size : test.sizes) json["sizes"].push_back({{"n", size.n}});
  for (const Kind& kind : kinds) {
    if (!has(test, kind)) continue;
    json[kind.key] = json_of(test.*kind.all, test.threshold_percent);
    for (std::size_t i = 0; i < test.sizes.size(); ++i)
      json["sizes"][i][kind.key] = json_of(test.sizes[i].*kind.of_size, test.threshold_percent);
  }
  return json;
}

}  // namespace redbench
