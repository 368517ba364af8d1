#include "src/best/best.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "src/compare/comparison.hpp"
#include "src/compare/least_across.hpp"
#include "src/error.hpp"
#include "src/inputs/problem.hpp"
#include "src/records/mistakes.hpp"
#include "src/records/provenance.hpp"
#include "src/registry.hpp"
#include "src/tables/case_table.hpp"
#include "src/tables/record_axes.hpp"
#include "src/text/nearest.hpp"

namespace redbench {
namespace {

/// What is shown of a record: no samples, clocks or nulls, and of its launches only how many they are.
Record brief(const Record& record) {
  const Record whole = without_samples(record);
  Record shown = Json::object();
  for (const auto& [name, value] : whole.items())
    if (!value.is_null() && name != "clocks") shown[name] = value;
  for (Json& launch : shown["launches"]) launch = nullptr;
  return Record(std::as_const(shown));  // a copy has no room to grow
}

/// Records of one point that were sampled in the same rounds.
struct Point {
  const PackedRun* run;
  std::string date;                      // of the run
  std::vector<std::size_t> places = {};  // in the run, of records with the promises that are asked for
  std::map<std::string, std::string> left_out = {};  // by variant: why
  Record any = {};                                   // the first, brief
  std::set<std::string> variants = {};
  double fastest_ns = HUGE_VAL;
  std::map<std::string, double> libraries = {};  // nanoseconds by variant
  std::optional<int> lead = {};                  // of set_leads; none without a library
  bool is_fresh = false;                         // the fastest is not stale

  void add(const Record& record, std::size_t place) {
    if (places.empty()) any = brief(record);
    places.push_back(place);
    variants.insert(record["variant"]);
    const double time_ns = record["time_ns"];
    if (is_of_library(record)) {
      double& fastest = libraries.try_emplace(record["variant"], time_ns).first->second;
      fastest = std::min(fastest, time_ns);
    }
    if (time_ns >= fastest_ns) return;
    fastest_ns = time_ns;
    is_fresh = why_stale(record).empty();
  }
  /// Of configs/best, which asks for all variants; not where a user left it one or two.
  bool has_all() const { return run->run.name().starts_with("best/") && variants.size() > 2; }
  /// Of several runs of a point the one with the most answers it. Where none has a library, one that is faster by more
  /// than two runs may differ by, 5 %, has tried what the others have not.
  auto richness() const {
    const int speed = -int(std::floor(std::log(fastest_ns) / std::log(1.05)));
    const std::size_t forks = any["forks"];
    return std::tuple(is_fresh, has_all(), lead, speed, forks > 1, variants.size(), forks);
  }
};

std::optional<Index> size_at(const Record& record, const std::string& axis) {
  const Json* const value = find_axis(record, axis);
  if (!value || !value->is_number_integer()) return std::nullopt;
  return value->get<Index>();
}

/// The default of an axis that a record leaves out at it, else the value that it has.
std::string value_on(const Record& record, const std::string& axis) {
  if (find_axis(record, axis)) return axis_value(record, axis);
  const std::map<std::string, Json> unsaid = unsaid_axes(record["problem"]);
  const auto found = unsaid.find(axis);
  return found == unsaid.end() ? axis_value(record, axis) : axis_text(found->second);
}

/// The question of one value of each axis that records leave out, the default where it names none.
Question with_unsaid_axes(Question question) {
  for (const auto& [axis, fallback] : unsaid_axes(question.problem))
    question.exact.emplace(axis, axis_text(fallback));
  return question;
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

/// Of one GPU such a variant is another variant's kernel and a copy.
bool is_for_several_gpus(const std::string& short_name) {
  return short_name == "host" || short_name == "peer" || short_name.starts_with("nccl_");
}
bool is_of_several_gpus(const Record& record) {
  const Json* const gpus = find_axis(record, "gpus");
  return gpus && *gpus != 1;
}

/// Why a variant is not what is asked for; empty where it is.
std::string why_left_out(const Record& record, const Question& question) {
  if (is_for_several_gpus(short_variant(record)) && !is_of_several_gpus(record)) return "is for several GPUs";
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

/// Nanoseconds of the fastest of a point's libraries that all its rivals have, too; of its own where there is none.
double library_ns(const Point& point, const std::vector<Point*>& rivals) {
  double own = HUGE_VAL, shared = HUGE_VAL;
  for (const auto& [library, time_ns] : point.libraries) {
    const auto has_it = [&](const Point* rival) { return rival->libraries.contains(library); };
    own = std::min(own, time_ns);
    if (std::ranges::all_of(rivals, has_it)) shared = std::min(shared, time_ns);
  }
  return shared < HUGE_VAL ? shared : own;
}

/// By how many per cent of its time each point's fastest is ahead of the library: times of two boards are not held against
/// each other, but such ratios are. Were the library the fastest of each point's own, one that lacks a fast one would lead.
void set_leads(std::vector<Point>& points) {
  std::map<std::string, std::vector<Point*>> by_input;
  for (Point& point : points)
    if (!point.libraries.empty()) by_input[input_of(point.any)].push_back(&point);
  for (const auto& [input, rivals] : by_input)
    for (Point* const point : rivals)
      point->lead = int(100 * (library_ns(*point, rivals) / point->fastest_ns - 1));
}

std::vector<Point> points_of(const std::vector<PackedRun>& runs, const Question& question) {
  std::vector<Point> points;
  for (const PackedRun& run : runs) {
    const std::string date = run.run.date();
    std::map<std::string, std::size_t> known;
    std::size_t place = 0;
    run.records.for_each([&](const Record& record) {
      const std::size_t here = place++;
      if (!fits(record, question)) return;
      const auto [found, is_new] = known.emplace(rounds_of(record), points.size());
      if (is_new) points.push_back({&run, date});
      Point& point = points[found->second];
      if (const std::string why = why_left_out(record, question); why.empty()) point.add(record, here);
      else point.left_out.emplace(short_variant(record), why);
    });
  }
  std::erase_if(points, [](const Point& point) { return point.places.empty(); });
  set_leads(points);
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
auto measured(const std::vector<PackedRun>& runs, const std::string& problem, const Value& value) {
  std::set<typename std::invoke_result_t<Value, const Record&>::value_type> values;
  for (const PackedRun& run : runs)
    run.records.for_each([&](const Record& record) {
      if (record["problem"] != problem || !record["time_ns"].is_number()) return;
      if (const auto found = value(record)) values.insert(*found);
    });
  return values;
}

std::set<std::string> measured_hardware(const std::vector<PackedRun>& runs, const std::string& problem) {
  return measured(runs, problem,
                  [](const Record& record) { return std::optional(record["hardware"].get<std::string>()); });
}

/// On hardware with `hardware` in its name.
std::set<std::string> measured_values(const std::vector<PackedRun>& runs, const std::string& problem,
                                      const std::string& axis, const std::string& hardware = "") {
  return measured(runs, problem, [&](const Record& record) {
    const std::string its = record["hardware"];
    return its.find(hardware) == its.npos ? std::nullopt : std::optional(value_on(record, axis));
  });
}

/// "f32, i32"
std::string values_text(const std::set<std::string>& values) {
  return values.empty() ? "nothing" : fmt::format("{}", fmt::join(values, ", "));
}

/// "1Ki to 4Gi"
std::string measured_sizes(const std::vector<PackedRun>& runs, const std::string& problem,
                           const std::string& axis) {
  const std::set<Index> sizes =
      measured(runs, problem, [&](const Record& record) { return size_at(record, axis); });
  return sizes.empty() ? "nothing" : format_size(*sizes.begin()) + " to " + format_size(*sizes.rbegin());
}

[[noreturn]] void refuse(const std::vector<PackedRun>& runs, const Question& question) {
  std::string text = fmt::format("no record of {} has a time", question.problem);
  for (const auto& [axis, value] : question.exact)
    text += fmt::format(", {} {} (measured: {})", axis, value,
                        values_text(measured_values(runs, question.problem, axis)));
  for (const auto& [axis, value] : question.sizes)
    text += fmt::format(", an axis {} (measured: {})", axis, measured_sizes(runs, question.problem, axis));
  if (!question.hardware.empty())
    text += fmt::format(", hardware {} (measured: {})", question.hardware,
                        values_text(measured_hardware(runs, question.problem)));
  if (question.keeps_order) text += ", the order of its inputs kept";
  if (question.reproducible) text += ", the same bits in each run";
  if (question.most_scratch_bytes)
    text += fmt::format(", at most {:g} bytes of scratch memory", *question.most_scratch_bytes);
  throw UsageError(text);
}

/// Its records that answer a question.
struct Measured {
  bool is_gpu = false;
  double nearest = HUGE_VAL;  // by distance()
  std::size_t count = 0;
};

/// The question of one hardware where it names none: a GPU before a CPU, then the nearest point, then the most records.
Question on_one_hardware(const std::vector<PackedRun>& runs, Question question) {
  if (!question.hardware.empty()) return question;
  std::map<std::string, Measured> all;
  for (const PackedRun& run : runs)
    run.records.for_each([&](const Record& record) {
      if (!fits(record, question) || !why_left_out(record, question).empty()) return;
      Measured& its = all[record["hardware"]];
      its.is_gpu |= record["device"] != "host";
      its.nearest = std::min(its.nearest, distance(record, question));
      ++its.count;
    });
  const auto rank = [](const auto& its) {
    return std::tuple(its.second.is_gpu, -its.second.nearest, its.second.count);
  };
  if (!all.empty()) question.hardware = std::ranges::max_element(all, {}, rank)->first;
  return question;
}

/// "labels: degenerate, uniform" for each axis without a size that the question leaves open, where several values were
/// measured on its hardware; all hardware before them.
std::vector<std::string> open_axes(const std::vector<PackedRun>& runs, const Record& record,
                                   const Question& question) {
  std::vector<std::string> texts;
  if (const auto all = measured_hardware(runs, question.problem); all.size() > 1)
    texts.push_back("hardware: " + values_text(all));
  for (const std::string& axis : RecordAxes(std::vector<Record>{record}).common) {
    if (question.exact.contains(axis) || axis == "device" || axis == "tuned" || size_at(record, axis))
      continue;
    const std::set<std::string> values = measured_values(runs, question.problem, axis, question.hardware);
    if (values.size() > 1) texts.push_back(fmt::format("{}: {}", axis, values_text(values)));
  }
  return texts;
}

Point nearest_point(const std::vector<PackedRun>& runs, const Question& question) {
  std::vector<Point> points = points_of(runs, question);
  if (points.empty()) refuse(runs, question);
  const bool largest = !question.sizes.contains("n");
  return *std::ranges::max_element(points, {}, [&](const Point& point) {
    const double n = largest ? point.any["n"].get<double>() : 0;
    const bool has_all = largest && point.is_fresh && point.has_all();
    return std::tuple(-distance(point.any, question), has_all, n, point.richness());
  });
}

/// The fastest record of each variant, by time.
std::vector<Record> fastest_of_each(const Point& point) {
  const auto time_of = [](const Record& record) { return record["time_ns"].get<double>(); };
  std::map<std::string, Record> fastest;
  point.run->records.chosen(point.places).for_each([&](const Record& record) {
    Record& best = fastest[record["variant"]];
    if (best.is_null() || time_of(record) < time_of(best)) best = record;
  });
  std::vector<Record> sorted;
  for (auto& [variant, record] : fastest) sorted.push_back(std::move(record));
  std::ranges::stable_sort(sorted, {}, time_of);
  return sorted;
}

Ranking ranking_at(const Point& point, const Question& question) {
  const StoredRun& run = point.run->run;
  Ranking ranking{.run = run.path,
                  .hardware = point.any["hardware"],
                  .date = point.date,
                  .config_path = run.facts["config_path"]};
  for (const auto& [axis, asked] : question.sizes)
    ranking.away[axis] = double(*size_at(point.any, axis)) / double(asked);
  const std::vector<Record> kept = fastest_of_each(point);
  std::set<std::string> measured;
  for (const Record& record : kept) measured.insert(short_variant(record));
  for (const auto& [variant, why] : point.left_out) {
    measured.insert(variant);
    ranking.left_out.push_back(variant + " " + why);
  }
  const bool on_host = point.any["device"] == "host";
  for (const Variant& variant : variants())
    if (variant.problem == question.problem && variant.on_host() == on_host &&
        !measured.contains(variant.short_name) &&
        is_for_several_gpus(variant.short_name) == is_of_several_gpus(point.any))
      ranking.not_measured.push_back(variant.short_name);
  std::vector<std::optional<Difference>> differences;
  for (const Record& record : kept)
    differences.push_back(compare_records({run, kept[0]}, {run, record}, "first", "other", false).difference);
  const std::vector<Judged> judged = judge(differences, 0);
  for (std::size_t i = 0; i < kept.size(); ++i)
    ranking.ranked.push_back({brief(kept[i]), i == 0 || judged[i].verdict != Verdict::slower});
  return ranking;
}

}  // namespace

bool gives_same_bits(const Variant& variant, const Record& record) {
  for (const Pair& pair : find_problem(variant.problem)->pairs)
    if (record["type"] == std::string(name_of(pair.type)) &&
        record["operator"] == std::string(name_of(pair.op)))
      return variant.gives_same_bits(pair.exact);
  return false;
}

const Ranked* Ranking::library() const {
  const auto found =
      std::ranges::find_if(ranked, [](const Ranked& one) { return is_of_library(one.record); });
  return found == ranked.end() ? nullptr : &*found;
}

std::vector<PackedRun> runs_of_problem(const std::vector<std::string>& folders, const std::string& problem) {
  if (const std::vector<std::string> problems = problem_names();
      std::ranges::find(problems, problem) == problems.end())
    throw UsageError(fmt::format("there is no problem `{}`{}; there are {}", problem,
                                 nearest_match(problem, problems), alternatives(problems)));
  std::vector<PackedRun> runs;
  for (const std::string& path : told_apart_below(folders).runs) try {
      if (read_facts(path + "/run.json").dump().find('"' + problem + '"') != std::string::npos)
        runs.push_back(read_packed_run(path, SampleLists::kept));
    } catch (const UsageError& error) {
      report_mistake(error.what());
    }
  return runs;
}

Ranking best(const std::vector<PackedRun>& runs, const Question& question) {
  const Question asked = with_unsaid_axes(on_one_hardware(runs, question));
  const Point point = nearest_point(runs, asked);
  Ranking ranking = ranking_at(point, asked);
  ranking.elsewhere = open_axes(runs, point.any, asked);
  return ranking;
}

std::vector<Ranking> best_over(const std::vector<PackedRun>& runs, const Question& question,
                               const std::string& axis) {
  Question anywhere = with_unsaid_axes(on_one_hardware(runs, question));
  anywhere.sizes.erase(axis);
  const Point nearest = nearest_point(runs, anywhere);
  // The map is of one input in all else, so that its rows can be read against each other.
  for (const std::string& other : RecordAxes(std::vector<Record>{nearest.any}).common)
    if (other != axis && other != "tuned" && find_axis(nearest.any, other))
      anywhere.exact[other] = axis_value(nearest.any, other);
  anywhere.sizes.clear();
  std::map<Index, Point> richest;
  std::vector<Point> points = points_of(runs, anywhere);
  std::size_t most = 0;
  for (const Point& point : points) most = std::max(most, point.variants.size());
  for (Point& point : points) {
    const std::optional<Index> value = size_at(point.any, axis);
    if (!value || point.any["parameters"].contains(axis)) continue;
    if (3 * point.variants.size() < most)
      continue;  // the fastest of few is no answer beside points with many
    Point& best = richest.try_emplace(*value, point).first->second;
    if (point.richness() > best.richness()) best = std::move(point);
  }
  if (richest.empty())
    throw UsageError(fmt::format("--over {}: no axis with whole values of {}", axis, question.problem));
  std::vector<Ranking> rankings;
  for (const auto& [value, point] : richest) {
    anywhere.sizes = {{axis, value}};
    rankings.push_back(ranking_at(point, anywhere));
  }
  return rankings;
}

std::vector<Ranking> best_everywhere(const std::vector<PackedRun>& runs, const Question& question) {
  const Question asked = on_one_hardware(runs, question);
  const std::vector<Point> points = points_of(runs, asked);
  if (points.empty()) refuse(runs, asked);
  std::map<std::string, const Point*> richest;  // by input
  std::set<std::string> measured;
  for (const Point& point : points) {
    measured.insert(point.variants.begin(), point.variants.end());
    const Point*& best = richest[input_of(point.any)];
    if (!best || point.richness() > best->richness()) best = &point;
  }
  std::vector<Ranking> rankings;
  for (const auto& [input, point] : richest) {
    rankings.push_back(ranking_at(*point, asked));
    std::erase_if(rankings.back().not_measured, [&](const std::string& variant) {
      return measured.contains(asked.problem + '/' + variant);
    });
  }
  return rankings;
}

}  // namespace redbench
