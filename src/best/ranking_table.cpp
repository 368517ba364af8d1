// Rankings as tables and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/best/best.hpp"
#include "src/records/fields.hpp"
#include "src/records/provenance.hpp"
#include "src/registry.hpp"
#include "src/tables/case_table.hpp"
#include "src/tables/numbers.hpp"
#include "src/tables/record_axes.hpp"

namespace redbench {
namespace {

/// With its nulls.
Record whole(Record record) {
  for (const Field& field : case_fields()) record[field.name];
  return record;
}

std::string launches_of(const Record& record) {
  return record["library"] == true ? "library" : std::to_string(record["launches"].size());
}

/// Adds what a variant promises.
void add_promises(Table& table, const std::vector<Record>& records) {
  table.columns.push_back({"launches", true});
  table.columns.push_back({"scratch (bytes)", true});
  table.columns.push_back({"operators", false});
  table.columns.push_back({"same bits", false});
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Variant* const variant = find_variant(records[i]["variant"].get<std::string>());
    table.rows[i].push_back(launches_of(records[i]));
    table.rows[i].push_back(line_of(records[i]["scratch_bytes"]));
    table.rows[i].push_back(!variant ? "-" : variant->card.order == Order::any ? "any" : "commutative");
    table.rows[i].push_back(!variant ? "-" : gives_same_bits(*variant, records[i]) ? "yes" : "no");
  }
}

/// Says which of the records are of other code than today's.
void add_older(Table& table, const std::vector<Record>& records) {
  std::set<std::string> older;
  for (const Record& record : records)
    if (!why_stale(record).empty()) older.insert(short_variant(record));
  if (!older.empty())
    table.remarks.push_back(
        fmt::format("The kernel, or how it is measured, has changed since: {}.", fmt::join(older, ", ")));
}

std::string ratio_text(double ratio) { return significant(ratio, 3); }

}  // namespace

Table ranking_table(const Ranking& ranking) {
  std::vector<Record> shown;
  for (const Ranked& ranked : ranking.ranked)
    if (ranked.is_tied || &ranked == ranking.library()) shown.push_back(whole(ranked.record));
  Table table = case_table(shown, {});
  add_promises(table, shown);
  const std::size_t slower = ranking.ranked.size() - shown.size();
  if (slower > 0) {
    const auto first = std::ranges::find_if(
        ranking.ranked, [&](const Ranked& one) { return !one.is_tied && &one != ranking.library(); });
    const double fastest = ranking.ranked[0].record["time_ns"];
    table.remarks.push_back(
        fmt::format("Slower: {}, {} to {} times.", slower == 1 ? "1 other" : fmt::format("{} others", slower),
                    ratio_text(first->record["time_ns"].get<double>() / fastest),
                    ratio_text(ranking.ranked.back().record["time_ns"].get<double>() / fastest)));
  }
  add_older(table, shown);
  if (!ranking.elsewhere.empty())
    table.remarks.push_back(fmt::format("Measured besides (--hardware, --type, --operator, --axis): {}.",
                                        fmt::join(ranking.elsewhere, "; ")));
  if (!ranking.left_out.empty())
    table.remarks.push_back(fmt::format("Left out: {}.", fmt::join(ranking.left_out, ", ")));
  if (!ranking.not_measured.empty())
    table.remarks.push_back(fmt::format("Not measured there: {}.", fmt::join(ranking.not_measured, ", ")));
  for (const auto& [axis, away] : ranking.away)
    if (away != 1)
      table.remarks.push_back(
          fmt::format("The nearest {} that was measured is {} times what was asked; `redbench "
                      "run {} --axis {}=...` measures another.",
                      axis, ratio_text(away), ranking.config_path, axis));
  return table;
}

Table map_table(const std::vector<Ranking>& rankings) {
  std::vector<Record> fastest;
  for (const Ranking& ranking : rankings) fastest.push_back(whole(ranking.ranked[0].record));
  Table table = case_table(fastest, {});
  table.columns.push_back({"variants measured", true});
  table.columns.push_back({"as fast", false});
  table.columns.push_back({"library", false});
  table.columns.push_back({"its time", true});
  std::size_t row = 0;
  std::set<std::string> runs;
  for (const Ranking& ranking : rankings) {
    runs.insert(ranking.run);
    std::vector<std::string> tied;
    for (const Ranked& ranked : ranking.ranked)
      if (ranked.is_tied && &ranked != &ranking.ranked[0]) tied.push_back(short_variant(ranked.record));
    const Ranked* const library = ranking.library();
    table.rows[row].push_back(std::to_string(ranking.ranked.size()));
    table.rows[row].push_back(fmt::format("{}", fmt::join(tied, ", ")));
    table.rows[row].push_back(library ? short_variant(library->record) : "");
    table.rows[row++].push_back(
        library ? fmt::format("{}x", ratio_text(library->record["time_ns"].get<double>() /
                                                ranking.ranked[0].record["time_ns"].get<double>()))
                : "");
  }
  add_older(table, fastest);
  table.remarks.push_back(fmt::format("From: {}.", fmt::join(runs, ", ")));
  return table;
}

Json to_json(const Ranking& ranking) {
  Json json{{"run", ranking.run},     {"hardware", ranking.hardware}, {"date", ranking.date},
            {"away", ranking.away},   {"left_out", ranking.left_out}, {"not_measured", ranking.not_measured},
            {"ranked", Json::array()}};
  for (const Ranked& ranked : ranking.ranked) {
    const Record record = whole(ranked.record);
    Json row{{"is_tied", ranked.is_tied}};
    for (const char* field :
         {"variant", "parameters", "tuned", "n", "type", "operator", "axes", "mode", "time_ns", "time_low_ns",
          "time_high_ns", "percent_of_ceiling", "scratch_bytes"})
      row[field] = record[field];
    row["of_library"] = is_of_library(record);
    row["stale"] = why_stale(record);
    row["launches"] = record["library"] == true ? Json() : Json(record["launches"].size());
    json["ranked"].push_back(std::move(row));
  }
  return json;
}

}  // namespace redbench
