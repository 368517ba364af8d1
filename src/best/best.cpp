#include "src/best/best.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "src/compare/comparison.hpp"
#include "src/error.hpp"
#include "src/inputs/problem.hpp"
#include "src/records/mistakes.hpp"
#include "src/records/provenance.hpp"
#include "src/registry.hpp"
#include "src/tables/case_table.hpp"
#include "src/tables/numbers.hpp"
#include "src/tables/record_axes.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

/// Records of one point that were sampled in the same rounds.
struct Point {
  const StoredRun* run;
  std::string date;                                  // of the run, whose records are gone through for it once
  std::vector<const Record*> records;                // with the promises that are asked for
  std::map<std::string, std::string> left_out = {};  // by variant: why

  const Record& any() const { return *records[0]; }
  std::size_t variants() const {
    std::set<std::string> names;
    for (const Record* record : records) names.insert((*record)["variant"]);
    return names.size();
  }
  std::size_t forks() const { return any()["forks"]; }
  const Record& fastest() const {
    return **std::ranges::min_element(
        records, {}, [](const Record* record) { return (*record)["time_ns"].get<double>(); });
  }
  /// By how many per cent of its time the fastest is ahead of the library: times of two boards are not held
  /// against each other, but such ratios are. None without a library.
  std::optional<int> lead_over_library() const {
    std::optional<double> library;
    for (const Record* record : records)
      if (is_of_library(*record))
        library = std::min(library.value_or(HUGE_VAL), (*record)["time_ns"].get<double>());
    if (!library) return std::nullopt;
    return int(100 * (*library / fastest()["time_ns"].get<double>() - 1));
  }
  /// Of several runs of a point the one with the most answers it.
  auto richness() const {
    return std::tuple(why_stale(fastest()).empty(), lead_over_library(), variants(), forks());
  }
};

std::optional<Index> size_at(const Record& record, const std::string& axis) {
  const Json* const value = find_axis(record, axis);
  if (!value || !value->is_number_integer()) return std::nullopt;
  return value->get<Index>();
}

/// The axes of a problem whose default records leave out, and that default.
std::map<std::string, std::string> unsaid_axes(const std::string& problem) {
  std::map<std::string, std::string> axes;
  for (const ProblemAxis& axis : find_problem(problem)->axes)
    if (axis.left_out_at_default) axes[axis.name] = axis_text(axis.fallback);
  return axes;
}

std::string value_on(const Record& record, const std::string& axis) {
  if (find_axis(record, axis)) return axis_value(record, axis);
  const std::map<std::string, std::string> unsaid = unsaid_axes(record["problem"]);
  const auto found = unsaid.find(axis);
  return found == unsaid.end() ? axis_value(record, axis) : found->second;
}

bool fits(const Record& record, const Question& question) {
  if (record["problem"] != question.problem || !record["time_ns"].is_number()) return false;
  const std::string hardware = record["hardware"];
  if (hardware.find(question.hardware) == hardware.npos) return false;
  for (const auto& [axis, text] : question.exact)
    if (value_on(record, axis) != text) return false;
  return std::ranges::all_of(question.sizes,
                             [&](const auto& size) { return size_at(record, size.first).has_value(); });
}

/// What the variants of a point were measured on, whichever run it is of.
std::string input_of(const Record& record) {
  return line_of(record, {"n", "type", "operator", "axes", "mode"});
}

/// Whether the variant gives the same bits in each run of the record's case.
bool gives_same_bits(const Variant& variant, const Record& record) {
  for (const Pair& pair : find_problem(variant.problem)->pairs)
    if (record["type"] == std::string(name_of(pair.type)) &&
        record["operator"] == std::string(name_of(pair.op)))
      return variant.gives_same_bits(pair.exact);
  return false;
}

/// Why a variant is not what is asked for; empty where it is.
std::string why_left_out(const Record& record, const Question& question) {
  const Variant* const variant = find_variant(record["variant"].get<std::string>());
  if (question.keeps_order && (!variant || variant->card.order != Order::any))
    return variant ? "needs a commutative operator" : "is not known to keep the order";
  if (question.reproducible && (!variant || !gives_same_bits(*variant, record)))
    return "is not known to give the same bits in each run";
  const Json& scratch = record["scratch_bytes"];
  if (question.most_scratch_bytes && !(scratch.is_number() && scratch <= *question.most_scratch_bytes))
    return fmt::format("takes {} bytes of scratch memory", line_of(scratch));
  return {};
}

std::vector<Point> points_of(const std::vector<StoredRun>& runs, const Question& question) {
  std::vector<Point> points;
  for (const StoredRun& run : runs) {
    const std::string date = run.date();
    std::map<std::string, std::size_t> places;
    for (const Record& record : run.records) {
      if (!fits(record, question)) continue;
      const auto [place, is_new] = places.emplace(rounds_of(record), points.size());
      if (is_new) points.push_back({&run, date, {}});
      Point& point = points[place->second];
      if (const std::string why = why_left_out(record, question); why.empty())
        point.records.push_back(&record);
      else point.left_out.emplace(short_variant(record), why);
    }
  }
  std::erase_if(points, [](const Point& point) { return point.records.empty(); });
  return points;
}

/// Powers of two between what is asked and what was measured, over all sizes.
double distance(const Record& record, const Question& question) {
  double all = 0;
  for (const auto& [axis, asked] : question.sizes)
    all += std::abs(std::log2(double(*size_at(record, axis)) / double(asked)));
  return all;
}

/// The values that the timed records of a problem have; `value` gives an optional.
template <class Value>
auto measured(const std::vector<StoredRun>& runs, const std::string& problem, const Value& value) {
  std::set<typename std::invoke_result_t<Value, const Record&>::value_type> values;
  for (const StoredRun& run : runs)
    for (const Record& record : run.records)
      if (record["problem"] == problem && record["time_ns"].is_number())
        if (const auto found = value(record)) values.insert(*found);
  return values;
}

std::set<std::string> measured_values(const std::vector<StoredRun>& runs, const std::string& problem,
                                      const std::string& axis) {
  return measured(runs, problem, [&](const Record& record) {
    return std::optional(axis == "hardware" ? record["hardware"].get<std::string>() : value_on(record, axis));
  });
}

/// "f32, i32"
std::string values_text(const std::set<std::string>& values) {
  return values.empty() ? "nothing" : fmt::format("{}", fmt::join(values, ", "));
}

/// "1Ki to 4Gi"
std::string measured_sizes(const std::vector<StoredRun>& runs, const std::string& problem,
                           const std::string& axis) {
  const std::set<Index> sizes =
      measured(runs, problem, [&](const Record& record) { return size_at(record, axis); });
  return sizes.empty() ? "nothing" : format_size(*sizes.begin()) + " to " + format_size(*sizes.rbegin());
}

[[noreturn]] void refuse(const std::vector<StoredRun>& runs, const Question& question) {
  std::string text = fmt::format("no record of {} has a time", question.problem);
  for (const auto& [axis, value] : question.exact)
    text += fmt::format(", {} {} (measured: {})", axis, value,
                        values_text(measured_values(runs, question.problem, axis)));
  for (const auto& [axis, value] : question.sizes)
    text += fmt::format(", an axis {} (measured: {})", axis, measured_sizes(runs, question.problem, axis));
  if (!question.hardware.empty())
    text += fmt::format(", hardware {} (measured: {})", question.hardware,
                        values_text(measured_values(runs, question.problem, "hardware")));
  if (question.keeps_order) text += ", the order of its inputs kept";
  if (question.reproducible) text += ", the same bits in each run";
  if (question.most_scratch_bytes)
    text += fmt::format(", at most {:g} bytes of scratch memory", *question.most_scratch_bytes);
  throw UsageError(text);
}

Question on_most_measured_hardware(const std::vector<StoredRun>& runs, Question question) {
  std::map<std::string, std::size_t> counts;
  for (const StoredRun& run : runs)
    for (const Record& record : run.records)
      if (fits(record, question)) ++counts[record["hardware"]];
  if (question.hardware.empty() && !counts.empty())
    question.hardware =
        std::ranges::max_element(counts, {}, [](const auto& count) { return count.second; })->first;
  return question;
}

/// "labels: degenerate, uniform" for each axis without a size that the question leaves open, where several
/// values were measured.
std::vector<std::string> open_axes(const std::vector<StoredRun>& runs, const Record& record,
                                   const Question& question) {
  std::vector<std::string> texts;
  for (const std::string& axis : RecordAxes(std::vector<Record>{record}).common) {
    if (question.exact.contains(axis) || axis == "device" || axis == "tuned" || size_at(record, axis))
      continue;
    const std::set<std::string> values = measured_values(runs, question.problem, axis);
    if (values.size() > 1) texts.push_back(fmt::format("{}: {}", axis, values_text(values)));
  }
  return texts;
}

Point nearest_point(const std::vector<StoredRun>& runs, const Question& question) {
  std::vector<Point> points = points_of(runs, question);
  if (points.empty()) refuse(runs, question);
  const bool largest = !question.sizes.contains("n");
  return *std::ranges::max_element(points, {}, [&](const Point& point) {
    const double n = largest ? point.any()["n"].get<double>() : 0;
    return std::tuple(-distance(point.any(), question), n, point.richness());
  });
}

/// The fastest record of each variant, by time.
std::vector<const Record*> fastest_of_each(const std::vector<const Record*>& records) {
  std::map<std::string, const Record*> fastest;
  for (const Record* record : records) {
    const Record*& best = fastest[(*record)["variant"]];
    if (!best || (*record)["time_ns"] < (*best)["time_ns"]) best = record;
  }
  std::vector<const Record*> sorted;
  for (const auto& [variant, record] : fastest) sorted.push_back(record);
  std::ranges::stable_sort(sorted, {},
                           [](const Record* record) { return (*record)["time_ns"].get<double>(); });
  return sorted;
}

/// What is shown of a record: not its samples, and of its launches only how many they are.
Record brief(const Record& record) {
  Record shown = without_samples(record);
  for (Json& launch : shown["launches"]) launch = nullptr;
  return Record(std::as_const(shown));  // a copy has no room to grow
}

Ranking ranking_at(const Point& point, const Question& question) {
  Ranking ranking{.run = point.run->path,
                  .hardware = point.any()["hardware"],
                  .date = point.date,
                  .config_path = point.run->facts["config_path"]};
  for (const auto& [axis, asked] : question.sizes)
    ranking.away[axis] = double(*size_at(point.any(), axis)) / double(asked);
  const std::vector<const Record*> kept = fastest_of_each(point.records);
  std::set<std::string> measured;
  for (const Record* record : kept) measured.insert(short_variant(*record));
  for (const auto& [variant, why] : point.left_out) {
    measured.insert(variant);
    ranking.left_out.push_back(variant + " " + why);
  }
  const bool on_host = point.any()["device"] == "host";
  for (const Variant& variant : variants())
    if (variant.problem == question.problem && variant.on_host() == on_host &&
        !measured.contains(variant.short_name))
      ranking.not_measured.push_back(variant.short_name);
  std::vector<std::optional<Difference>> differences;
  for (const Record* record : kept)
    differences.push_back(
        compare_records({*point.run, *kept[0]}, {*point.run, *record}, "first", "other", false).difference);
  const std::vector<Judged> judged = judge(differences, 0);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    ranking.ranked.push_back({brief(*kept[i]), i == 0 || judged[i].verdict != Verdict::slower});
  }
  return ranking;
}

std::string joined(const std::vector<std::string>& texts) {
  return fmt::format("{}", fmt::join(texts, ", "));
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
    table.remarks.push_back("The kernel, or how it is measured, has changed since: " +
                            fmt::format("{}", fmt::join(older, ", ")) + ".");
}

std::string ratio_text(double ratio) { return significant(ratio, 3); }

}  // namespace

const Ranked* Ranking::library() const {
  const auto found =
      std::ranges::find_if(ranked, [](const Ranked& one) { return is_of_library(one.record); });
  return found == ranked.end() ? nullptr : &*found;
}

std::vector<StoredRun> runs_of_problem(const std::vector<std::string>& folders, const std::string& problem) {
  if (const std::vector<std::string> problems = problem_names();
      std::ranges::find(problems, problem) == problems.end())
    throw UsageError(fmt::format("there is no problem `{}`{}", problem, nearest_match(problem, problems)));
  std::vector<StoredRun> runs;
  for (const std::string& path : runs_below(folders)) try {
      if (read_facts(path + "/run.json").dump().find('"' + problem + '"') != std::string::npos)
        runs.push_back(read_stored_run(path));
    } catch (const UsageError& error) {
      report_mistake(error.what());
    }
  return runs;
}

Ranking best(const std::vector<StoredRun>& runs, const Question& question) {
  Question asked = on_most_measured_hardware(runs, question);
  asked.exact.merge(unsaid_axes(asked.problem));
  const Point point = nearest_point(runs, asked);
  Ranking ranking = ranking_at(point, asked);
  ranking.elsewhere = open_axes(runs, point.any(), asked);
  return ranking;
}

std::vector<Ranking> best_over(const std::vector<StoredRun>& runs, const Question& question,
                               const std::string& axis) {
  Question anywhere = on_most_measured_hardware(runs, question);
  anywhere.exact.merge(unsaid_axes(anywhere.problem));
  anywhere.sizes.erase(axis);
  const Point nearest = nearest_point(runs, anywhere);
  // The map is of one input in all else, so that its rows can be read against each other.
  for (const std::string& other : RecordAxes(std::vector<Record>{nearest.any()}).common)
    if (other != axis && other != "tuned" && find_axis(nearest.any(), other))
      anywhere.exact[other] = axis_value(nearest.any(), other);
  anywhere.sizes.clear();
  std::set<Index> values;
  for (const Point& point : points_of(runs, anywhere))
    if (const std::optional<Index> value = size_at(point.any(), axis);
        value && !point.any()["parameters"].contains(axis))
      values.insert(*value);
  if (values.empty())
    throw UsageError(fmt::format("--over {}: no axis with whole values of {}", axis, question.problem));
  std::vector<Ranking> rankings;
  for (const Index value : values) {
    anywhere.sizes = {{axis, value}};
    rankings.push_back(best(runs, anywhere));
  }
  return rankings;
}

std::vector<Ranking> best_everywhere(const std::vector<StoredRun>& runs, const Question& question) {
  const Question asked = on_most_measured_hardware(runs, question);
  const std::vector<Point> points = points_of(runs, asked);
  if (points.empty()) refuse(runs, asked);
  std::map<std::string, const Point*> richest;  // by input
  std::set<std::string> measured;
  for (const Point& point : points) {
    for (const Record* record : point.records) measured.insert(short_variant(*record));
    const Point*& best = richest[input_of(point.any())];
    if (!best || point.richness() > best->richness()) best = &point;
  }
  std::vector<Ranking> rankings;
  for (const auto& [input, point] : richest) {
    rankings.push_back(ranking_at(*point, asked));
    std::erase_if(rankings.back().not_measured,
                  [&](const std::string& variant) { return measured.contains(variant); });
  }
  return rankings;
}

Table ranking_table(const Ranking& ranking) {
  std::vector<Record> shown;
  for (const Ranked& ranked : ranking.ranked)
    if (ranked.is_tied || &ranked == ranking.library()) shown.push_back(ranked.record);
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
    table.remarks.push_back("Measured besides (--type, --operator, --axis): " +
                            fmt::format("{}", fmt::join(ranking.elsewhere, "; ")) + ".");
  if (!ranking.left_out.empty()) table.remarks.push_back("Left out: " + joined(ranking.left_out) + ".");
  if (!ranking.not_measured.empty())
    table.remarks.push_back("Not measured there: " + joined(ranking.not_measured) + ".");
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
  for (const Ranking& ranking : rankings) fastest.push_back(ranking.ranked[0].record);
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
    table.rows[row].push_back(joined(tied));
    table.rows[row].push_back(library ? short_variant(library->record) : "");
    table.rows[row++].push_back(
        library ? fmt::format("{}x", ratio_text(library->record["time_ns"].get<double>() /
                                                ranking.ranked[0].record["time_ns"].get<double>()))
                : "");
  }
  add_older(table, fastest);
  table.remarks.push_back("From: " + fmt::format("{}", fmt::join(runs, ", ")) + ".");
  return table;
}

Json to_json(const Ranking& ranking) {
  Json json{{"run", ranking.run},     {"hardware", ranking.hardware}, {"date", ranking.date},
            {"away", ranking.away},   {"left_out", ranking.left_out}, {"not_measured", ranking.not_measured},
            {"ranked", Json::array()}};
  for (const Ranked& ranked : ranking.ranked) {
    Json row{{"is_tied", ranked.is_tied}};
    for (const char* field :
         {"variant", "parameters", "tuned", "n", "type", "operator", "axes", "mode", "time_ns", "time_low_ns",
          "time_high_ns", "percent_of_ceiling", "scratch_bytes"})
      row[field] = ranked.record[field];
    row["of_library"] = is_of_library(ranked.record);
    row["stale"] = why_stale(ranked.record);
    row["launches"] = ranked.record["library"] == true ? Json() : Json(ranked.record["launches"].size());
    json["ranked"].push_back(std::move(row));
  }
  return json;
}

}  // namespace redbench
