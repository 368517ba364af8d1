#include "src/compare/self_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "src/measure/stop_rule.hpp"
#include "src/printable.hpp"
#include "src/tables/numbers.hpp"
#include "src/tables/tables.hpp"
#include "src/tables/text.hpp"

namespace redbench {
namespace {

bool are_disjoint(const Record& a, const Record& b) {
  for (const Record* one : {&a, &b})
    if (!(*one)["time_low_ns"].is_number() || !(*one)["time_high_ns"].is_number()) return false;
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

/// A logarithm of a ratio as a percentage of the time.
double percent(double log_ratio) { return 100 * std::expm1(log_ratio); }

Json percent_or_null(const std::vector<double>& values, double value) {
  return values.empty() || !std::isfinite(value) ? Json() : Json(percent(value));
}

Json median_percent(const std::vector<double>& values) {
  return values.empty() ? Json() : percent_or_null(values, median_of(values).value);
}

Json json_of(const AgainstItself& one) {
  return {{"pairs", one.pairs},
          {"differing", one.differing},
          {"smallest_difference_percent", percent_or_null(one.log_ratios, percentile_95(one.log_ratios))},
          {"median_half_width_percent", median_percent(one.half_widths)}};
}

std::string shown(const Json& percent) {
  return percent.is_number() ? significant(percent.get<double>(), 2) : "-";
}

Table size_table(const SelfTest& test) {
  Table table;
  for (const char* name :
       {"n", "pairs of runs", "smallest difference shown (%)", "half interval (%)", "pairs of one run",
        "smallest difference shown within a run (%)", "half interval within a run (%)"})
    table.columns.push_back({name, true});
  for (const SizeTested& size : test.sizes) {
    const Json between = json_of(size.between), within = json_of(size.within);
    std::vector<std::string>& row = table.rows.emplace_back();
    row.push_back(format_size(size.n));
    for (const Json& part : {between, within}) {
      row.push_back(std::to_string(part["pairs"].get<std::size_t>()));
      row.push_back(shown(part["smallest_difference_percent"]));
      row.push_back(shown(part["median_half_width_percent"]));
    }
  }
  return table;
}

std::vector<std::string> sentences(const SelfTest& test) {
  const std::size_t pairs = test.between.pairs + test.within.pairs;
  return {
      fmt::format("{} pairs of the same kernel, input and machine: {} between {} runs, {} within one.", pairs,
                  test.between.pairs, test.runs.size(), test.within.pairs),
      fmt::format("Verdicts that two of them differ: {} between runs, {} within one: {} % of all.",
                  test.between.differing, test.within.differing, significant(test.differing_percent(), 2)),
      fmt::format("Intervals of two runs that are disjoint: {} of {}.", test.disjoint, test.between.pairs)};
}

constexpr const char* explanation =
    "Smallest difference shown: 95 % of the pairs are closer than that. Half interval: half the 95 % "
    "interval of a "
    "ratio, in the median.";

}  // namespace

void AgainstItself::add(const ComparedCase& one) {
  if (!one.difference) return;
  ++pairs;
  differing += differs(one.judged.verdict);
  log_ratios.push_back(std::abs(one.difference->log_ratio));
  const Interval interval = one.difference->interval(interval_error);
  if (std::isfinite(interval.high - interval.low)) half_widths.push_back((interval.high - interval.low) / 2);
}

double SelfTest::differing_percent() const {
  const std::size_t pairs = between.pairs + within.pairs;
  return pairs == 0 ? 0 : 100 * double(between.differing + within.differing) / double(pairs);
}

double percentile_95(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return values[std::size_t(std::ceil(0.95 * double(values.size()))) - 1];
}

SelfTest self_test(const std::vector<StoredRun>& runs, double threshold_percent) {
  SelfTest test;
  test.threshold_percent = threshold_percent;
  std::map<Index, SizeTested> sizes;
  const auto add = [&](const Comparison& comparison, AgainstItself SelfTest::*all,
                       AgainstItself SizeTested::*of_size) {
    for (const ComparedCase& one : comparison.cases) {
      SizeTested& size = sizes[one.record["n"].get<Index>()];
      (size.*of_size).add(one);
      (test.*all).add(one);
    }
  };
  const CompareOptions options{.threshold_percent = threshold_percent};
  for (std::size_t i = 0; i < runs.size(); ++i) {
    test.runs.push_back(std::filesystem::path(runs[i].path).filename());
    for (std::size_t j = i + 1; j < runs.size(); ++j) {
      add(compare_runs(runs[i], runs[j], options), &SelfTest::between, &SizeTested::between);
      test.disjoint += disjoint_pairs(runs[i], runs[j]);
    }
    add(compare_again(runs[i], options), &SelfTest::within, &SizeTested::within);
  }
  for (auto& [n, size] : sizes) {
    size.n = n;
    test.sizes.push_back(std::move(size));
  }
  return test;
}

std::string text_of(const SelfTest& test, int width) {
  std::string text = aligned(size_table(test), false, std::size_t(width));
  text += paragraph(explanation, std::size_t(width)) + "\n";
  for (const std::string& sentence : sentences(test)) text += paragraph(sentence, std::size_t(width));
  return text;
}

std::string markdown(const SelfTest& test, const std::string& title) {
  std::string text = fmt::format("# {}\n\n", printable(title));
  for (const std::string& sentence : sentences(test)) text += "- " + sentence + "\n";
  return text + "\n" + markdown(size_table(test)) + "\n" + explanation + "\n";
}

Json to_json(const SelfTest& test) {
  Json json{{"schema", 1},
            {"runs", test.runs},
            {"threshold_percent", test.threshold_percent},
            {"pairs", test.between.pairs + test.within.pairs},
            {"differing", test.between.differing + test.within.differing},
            {"differing_percent", test.differing_percent()},
            {"disjoint_intervals_between_runs", test.disjoint},
            {"between_runs", json_of(test.between)},
            {"within_a_run", json_of(test.within)},
            {"sizes", Json::array()}};
  for (const SizeTested& size : test.sizes)
    json["sizes"].push_back(
        {{"n", size.n}, {"between_runs", json_of(size.between)}, {"within_a_run", json_of(size.within)}});
  return json;
}

}  // namespace redbench
