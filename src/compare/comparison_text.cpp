#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "src/compare/comparison.hpp"
#include "src/tables/numbers.hpp"
#include "src/tables/record_axes.hpp"
#include "src/tables/tables.hpp"

namespace redbench {
namespace {

std::string time_text(const Json& ns) { return ns.is_number() ? significant(ns.get<double>() / 1000) : ""; }

/// To a hundredth of a percent; from a thousand times on, by its power of ten.
std::string ratio_text(double log_ratio) {
  if (!std::isfinite(log_ratio)) return "-";
  const double ratio = std::exp(log_ratio);
  return std::abs(log_ratio) < std::log(1000) ? fmt::format("{:.4f}", ratio) : fmt::format("{:.0e}", ratio);
}

/// An end that is a thousand times off says no more than that there is none.
std::string interval_text(double low, double high) {
  const double bound = std::log(1000);
  if (low < -bound && high > bound) return "no ends";
  if (high > bound) return ratio_text(low) + ", no upper end";
  if (low < -bound) return "no lower end, " + ratio_text(high);
  return ratio_text(low) + " to " + ratio_text(high);
}

/// Null where it is infinite.
Json ratio(double log_ratio) { return std::isfinite(log_ratio) ? Json(std::exp(log_ratio)) : Json(); }

}  // namespace

Table comparison_table(const Comparison& comparison) {
  std::vector<Record> records;
  for (const ComparedCase& case_ : comparison.cases) records.push_back(case_.record);
  const RecordAxes axes(records);
  Table table;
  if (!comparison.of_variants) table.columns.push_back({"variant", false});
  for (const std::string& axis : axes.varying) table.columns.push_back({axis, axis == "n"});
  const std::string first = comparison.of_variants ? comparison.first : "A",
                    second = comparison.of_variants ? comparison.second : "B";
  // What is left out first of a narrow table: the ratio implies the times, the verdict the interval.
  constexpr int times = 1, interval = 2;
  const bool by_reference = std::ranges::any_of(
      comparison.cases, [](const ComparedCase& case_) { return !case_.reference.empty(); });
  for (const std::string& name : {first, second}) table.columns.push_back({name + " (µs)", true, times});
  if (by_reference) table.columns.push_back({"against", false});
  table.columns.push_back({second + " / " + first, true, Table::essential});
  table.columns.push_back({"interval", true, interval});
  table.columns.push_back({"verdict", false, Table::essential});
  for (const ComparedCase& case_ : comparison.cases) {
    std::vector<std::string>& row = table.rows.emplace_back();
    if (!comparison.of_variants) row.push_back(short_variant(case_.record));
    for (const std::string& axis : axes.varying) row.push_back(axis_value(case_.record, axis));
    row.push_back(time_text(case_.first_ns));
    row.push_back(time_text(case_.second_ns));
    if (by_reference) row.push_back(case_.reference);
    const auto& [low, high] = case_.judged.interval;
    row.push_back(case_.difference ? ratio_text(case_.difference->log_ratio) : "");
    row.push_back(case_.difference ? interval_text(low, high) : "");
    std::string verdict(name_of(case_.judged.verdict));
    for (const std::string& text : case_.notes) verdict += note(text, table.notes);
    row.push_back(verdict);
  }
  std::vector<std::string> common;
  for (const std::string& axis : axes.common)
    if (axis != "device") common.push_back(axis + " " + axis_value(records[0], axis));
  std::vector<std::string> caption = comparison.machines;
  if (!common.empty()) caption.push_back(fmt::format("{}", fmt::join(common, "  ·  ")));
  table.caption = fmt::format("{}", fmt::join(caption, "  ·  "));
  if (std::ranges::any_of(comparison.cases,
                          [](const ComparedCase& case_) { return case_.difference.has_value(); }))
    table.remarks.push_back(
        fmt::format("{} / {}: geometric mean over the forks; the times are medians.", second, first));
  std::ranges::copy(comparison.remarks, std::back_inserter(table.remarks));
  return table;
}

std::string markdown(const Comparison& comparison, int width) {
  return fmt::format(
      "# {} against {}\n\n{}\n{}.\n", markdown_text(comparison.second), markdown_text(comparison.first),
      markdown(fit(comparison_table(comparison), std::size_t(width))), markdown_text(comparison.summary()));
}

Json to_json(const Comparison& comparison) {
  Json json{{"schema", 1},
            {"first", comparison.first},
            {"second", comparison.second},
            {"of_variants", comparison.of_variants},
            {"threshold_percent", comparison.threshold_percent},
            {"false_discoveries", false_discoveries},
            {"differing", comparison.differing()},
            {"gone", comparison.gone},
            {"machines", comparison.machines},
            {"remarks", comparison.remarks},
            {"cases", Json::array()}};
  for (const Verdict verdict : {Verdict::faster, Verdict::slower, Verdict::same, Verdict::undecided})
    json["counts"][std::string(name_of(verdict))] = comparison.count(verdict);
  for (const ComparedCase& case_ : comparison.cases) {
    Json row = Json::object();
    for (const char* field : {"key", "variant", "problem", "n", "type", "operator", "axes", "parameters",
                              "tuned", "device", "hardware", "mode"})
      row[field] = case_.record[field];
    row["first_ns"] = case_.first_ns;
    row["second_ns"] = case_.second_ns;
    row["reference"] = case_.reference.empty() ? Json() : Json(case_.reference);
    row["ratio"] = row["ratio_low"] = row["ratio_high"] = row["p"] = nullptr;
    if (case_.difference) {
      row["ratio"] = ratio(case_.difference->log_ratio);
      row["ratio_low"] = ratio(case_.judged.interval.low);
      row["ratio_high"] = ratio(case_.judged.interval.high);
      row["p"] = case_.difference->p();
    }
    row["verdict"] = name_of(case_.judged.verdict);
    row["notes"] = case_.notes;
    json["cases"].push_back(std::move(row));
  }
  return json;
}

}  // namespace redbench
